"""Commands over the library, each a Hydra application; the rooms below hold what they are made of."""

import sys
from types import TracebackType


def tell_interrupts() -> None:
    """Have an interrupt that nothing handles, while a command is imported, told in a line in place of a traceback."""
    sys.excepthook = _told


def _told(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)


if sys.argv[:1] == ["-m"]:  # of python -m experiments.NAME, which imports this package before the command
    tell_interrupts()
