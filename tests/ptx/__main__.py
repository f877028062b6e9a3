"""Run a command with the emulated driver in place of a device's, or record what all cases find.

    python -m tests.ptx run COMMAND [ARGUMENT ...]
    python -m tests.ptx record FILE [WORD ...]

    python -m tests.ptx run python -m pytest -n 0 -m gpu tests/kernels/test_gpu.py -k block_sizes
    python -m tests.ptx run python -m experiments.match engine=cuda game=othello

The exit code is the command's; 70 is that of a fault, whose line is told once more at the end.
"""

import sys
from pathlib import Path

from tests.ptx.build import BuildError
from tests.ptx.running import run


def main() -> int:
    """Run what the command line says."""
    if len(sys.argv) < 3 or sys.argv[1] not in ("run", "record"):
        usage = "usage: python -m tests.ptx run COMMAND [ARGUMENT ...], or record FILE [WORD ...]"
        print(f"{usage}; not {' '.join(sys.argv[1:])!r}", file=sys.stderr)
        return 2
    try:
        if sys.argv[1] == "record":
            from tests.ptx.record import record

            return record(Path(sys.argv[2]), sys.argv[3:])
        done = run(sys.argv[2:], capture=False)
    except (BuildError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for line in dict.fromkeys(done.faults):
        print(line, file=sys.stderr)
    return done.code


if __name__ == "__main__":
    sys.exit(main())
