"""Commands over the library, each a Hydra application; the rooms below hold what they are made of."""

import gc
import sys
from types import TracebackType

from experiments.terminal.termination import bring_back_interrupts, end_by_sigterm

LOOKS = 50_000, 50, 100
"""After how many new objects Python looks for circles of garbage, and how many looks at the youngest ones come before
one at older ones (``gc.set_threshold``). Python's own 700, 10, 10 cost a warm command 0.15 s of 1.4."""

OURS = ("gpumcts", "experiments")


def begin_command() -> None:
    """Make this the process of a command, before the command is imported.

    An interrupt that nothing handles is told in a line in place of a traceback, and so is a package that is missing. No
    interrupt is lost in a callback, and SIGTERM is an interrupt. Garbage is looked for less often: imports and
    compilations make many objects and hardly any garbage.
    """
    sys.excepthook = _told
    end_by_sigterm()
    bring_back_interrupts()
    gc.set_threshold(*LOOKS)


def _told(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
    elif isinstance(error, ModuleNotFoundError) and (error.name or OURS[0]).partition(".")[0] not in OURS:
        print(
            f"error: {sys.executable} has no package {error.name}: take the environment of the checkout "
            "(source .venv/bin/activate), or pip install -e . there",
            file=sys.stderr,
        )
    else:
        sys.__excepthook__(kind, error, traceback)


if sys.argv[:1] == ["-m"]:  # of python -m experiments.NAME, which imports this package before the command
    begin_command()
