"""Run a command with the emulated driver in place of a device's.

    python -m tests.ptx run COMMAND [ARGUMENT ...]

    python -m tests.ptx run python -m pytest -n 0 -m gpu tests/kernels/test_gpu.py -k block_sizes
    python -m tests.ptx run python -m experiments.match engine=cuda game=othello

The exit code is the command's; 70 is that of a fault, whose line is told once more at the end.
"""

import sys

from tests.ptx.build import BuildError
from tests.ptx.running import run


def main() -> int:
    """Run what the command line says."""
    if len(sys.argv) < 3 or sys.argv[1] != "run":
        print(f"usage: python -m tests.ptx run COMMAND [ARGUMENT ...]; not {' '.join(sys.argv[1:])!r}", file=sys.stderr)
        return 2
    try:
        done = run(sys.argv[2:], capture=False)
    except (BuildError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for line in dict.fromkeys(done.faults):
        print(line, file=sys.stderr)
    return done.code


if __name__ == "__main__":
    sys.exit(main())
