"""When the device was busy with batches: spans between two events, and the seconds that these come to together."""

import time
from typing import Any

from gpumcts.kernels.cuda import device

SECONDS_A_BASE = 10.0  # milliseconds since an event have 24 bits: after so long they tell microseconds no more


class DeviceClock:
    """Adds up spans of a device in which two streams take turns: what two spans share counts once.

    busy : seconds so far
    spans : since ``watch``, (begin, end) in seconds since the clock began; None before
    """

    def __init__(self) -> None:
        self.busy = 0.0
        self.spans: list[tuple[float, float]] | None = None
        self._buffer: Any = device.host_device_buffer(1)  # for its stream
        self._base, self._since = self._passed(), time.perf_counter()
        self._offset = 0.0  # of the base, in seconds since the clock began
        self._reached = 0.0  # the end of the last span

    def watch(self) -> None:
        """From now on tell ``spans``; what they told is forgotten."""
        self.spans = []

    def enter(self, begin: Any, end: Any) -> float:
        """The device was at work from one event to another, both waited for; the seconds that no span had before.

        All seconds of the span where it had none of its own.
        """
        base, offset = self.base()
        moments = offset + begin.since(base), offset + end.since(base)
        return self.enter_span(*moments) or moments[1] - moments[0]

    def enter_span(self, begin: float, end: float) -> float:
        """The same of two moments, in seconds since the clock began; 0 where the span has none of its own."""
        seconds = max(0.0, end - max(begin, self._reached))
        self.busy += seconds
        self._reached = max(self._reached, end)
        if self.spans is not None:
            self.spans.append((begin, end))
        return seconds

    def base(self) -> tuple[Any, float]:
        """An event that the device has passed lately, and its moment: events are timed from it."""
        if time.perf_counter() - self._since > SECONDS_A_BASE:
            event = self._passed()
            self._offset += event.since(self._base)
            self._base, self._since = event, time.perf_counter()
        return self._base, self._offset

    def _passed(self) -> Any:
        event = self._buffer.record_event()
        event.wait()
        return event
