"""A limit on one call of a user's own function in plain Python: a body that never returns is named, not waited for.

A thread looks at the frames of the thread that asks, some times a second. It raises there: signals reach the main
thread alone, and the Python interface may ask in any.
"""

import ctypes
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.games.conformance import places

LIMIT_SECONDS = 10.0  # of one call; bodies take microseconds in plain Python, the longest of them milliseconds
LOOK_SECONDS = 0.25


class _Endless(BaseException):
    """Raised in the midst of a body. It is no Exception, which bodies may catch."""


def watched(question: Callable[..., Any], *values: Any) -> Any:
    """What ``question(*values)`` returns, a question to options in plain Python.

    Raises BadInput, one line with file and line, where a call of a user's function in it takes LIMIT_SECONDS.
    """
    watch = _Watch(sys._getframe(), values)
    threading.Thread(target=watch.look, daemon=True).start()
    try:
        try:
            return question(*values)
        finally:
            watch.end()
    except _Endless:
        watch.end()  # it may have been raised within the first
        raise BadInput(watch.said) from None


class _Watch:
    """The calls of one thread that a frame has made: ``bottom``, whose own line and callers are not looked at."""

    def __init__(self, bottom: FrameType, values: tuple[Any, ...]) -> None:
        self.bottom, self.values, self.said = bottom, values, ""
        self._asker, self._over, self._raising = threading.get_ident(), False, False

    def look(self) -> None:
        """Look until ``end``; the watching thread's work."""
        clock, wall, cpu = 0.0, time.monotonic(), time.process_time()
        since: dict[FrameType, float] = {}
        while not self._over:
            time.sleep(LOOK_SECONDS)
            before, wall, cpu = (wall, cpu), time.monotonic(), time.process_time()
            # A process that waits, as at a debugger's prompt, or is stopped, takes no processor time.
            clock += min(wall - before[0], cpu - before[1])
            frames = self._own_frames()
            since = {frame: since.get(frame, clock) for frame in frames}
            overlong = [frame for frame in frames if clock - since[frame] >= LIMIT_SECONDS]
            if overlong:
                self.said = self._told(frames[0], overlong)
                self._raise()

    def end(self) -> None:
        """Nothing is raised from now on."""
        self._over = True
        while self._raising:
            time.sleep(0)
        _raise_in(self._asker, None)

    def _raise(self) -> None:
        self._raising = True  # before the question: ``end`` waits for it after it has answered it
        if not self._over:
            _raise_in(self._asker, _Endless)
        self._raising = False

    def _own_frames(self) -> list[FrameType]:
        """The frames of a user's functions, the innermost first."""
        frame, found = sys._current_frames().get(self._asker), []
        while frame is not None and frame is not self.bottom:
            if not places.is_foreign(frame.f_code.co_filename):
                found.append(frame)
            frame = frame.f_back
        return found

    def _told(self, at: FrameType, overlong: list[FrameType]) -> str:
        """The line that Python is in, and the innermost body that takes so long, or the outermost function."""
        verbs: dict[CodeType, str] = {}
        for value in self.values:
            verbs |= {places.code_of(body): verb for verb, body in places.bodies_of(type(value)).items()}
        names = [verbs[frame.f_code] for frame in overlong if frame.f_code in verbs]
        where = places.shown(at.f_code.co_filename, at.f_lineno or at.f_code.co_firstlineno)
        name = names[0] if names else overlong[-1].f_code.co_name
        return f"{where}: {name} has not returned after {LIMIT_SECONDS:g} s in plain Python: does a loop never end?"


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Raise an exception in a thread as soon as it is in Python code; None takes back one that waits."""
    error = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)
