"""What ends work on several threads early: an event, or an exception of a signal's handler."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

NOT_HELD = ("cannot release un-acquired lock", "release unlocked lock")
"""What RLock and Lock say where they are given up twice."""

WITHOUT_SIGNATURE = "_get_wrapper_address() missing"
"""What numba's call ends with that goes on without a signature."""


@contextmanager
def as_raised_by_handlers() -> Iterator[None]:
    """What a signal's handler raises inside comes out as it is.

    ``threading.Condition.wait`` gives its lock up before it enters its ``try``. Where the handler comes in between, the
    ``with`` around it gives the lock up again, and RuntimeError would come out. The lock is free; nothing is broken.

    Numba unpacks the signature of a function among the arguments by Python code. Where the handler comes in there,
    numba loses its exception and goes on without the signature, to a TypeError. KeyboardInterrupt stands for it.
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) not in NOT_HELD or error.__context__ is None:
            raise
        raise error.__context__ from None
    except TypeError as error:
        if not str(error).startswith(WITHOUT_SIGNATURE):
            raise
        raise KeyboardInterrupt from None


class StopEvent(threading.Event):
    """Set where it has been set itself, as by work beside that failed, or where ``stop`` has, which is the user's."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        super().__init__()
        self._stop = stop

    def is_set(self) -> bool:
        """To be looked at now and then; ``wait`` knows nothing of ``stop``."""
        return super().is_set() or (self._stop is not None and self._stop.is_set())

    @contextmanager
    def set_where_this_fails(self) -> Iterator[None]:
        """Set it as soon as the work inside raises: who waits for several threads may wait for another one first."""
        try:
            yield
        except BaseException:
            self.set()
            raise
