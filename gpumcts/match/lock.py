"""The lock of a run's folder: one process at a time works there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from gpumcts.errors import BadInput

LOCK = "lock"


def message_of(error: BaseException) -> str:
    """What an error of the file system says, in one line."""
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).replace("\n", " ")


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Make ``folder`` and hold its lock; raises BadInput where another run has it, or where it cannot be written.

    The system frees the lock of a process that is killed.
    """
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise BadInput(f"the folder {folder} is in use by another run; wait for it, or choose another") from None
    except (OSError, NotImplementedError) as error:
        raise BadInput(f"the folder {folder} cannot be written: {message_of(error)}") from error
    try:
        yield
    finally:
        lock.release()
