"""The signal that ends work on several threads early."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


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
