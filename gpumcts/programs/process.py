"""The process of an external engine: started, read with a time limit, and killed where it fails."""

import contextlib
import os
import queue
import select
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gpumcts.errors import BadInput

MAX_LINE = 1 << 16
MAX_LOG = 1 << 20
MAX_LAST_WORDS = 1000  # bytes of a program's last line on stderr
SECONDS_TO_QUIT = 1.0
POLL_SECONDS = 0.1  # between checks of ``stop`` while an answer is waited for


class EngineError(Exception):
    """An external engine is unusable: it crashed, hangs, or says what is no answer. One line."""


class EngineTimeout(EngineError):
    """An answer that did not come in time."""


class Log:
    """What programs say on stderr, in one file of at most ``MAX_LOG`` bytes; without a path it is dropped."""

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lock, self._full = path, threading.Lock(), False

    def add(self, text: bytes) -> None:
        """Write ``text``, as far as there is room; the last line tells that there was more."""
        with self._lock, contextlib.suppress(OSError):
            if self._path is None or self._full:
                return
            with self._path.open("ab") as file:
                room = MAX_LOG - file.tell()
                file.write(text[: max(room, 0)])
                if len(text) > room:
                    self._full = True
                    file.write(b"\n(more was said, and is not kept)\n")


def words_of(command: str, key: str = "command") -> list[str]:
    """A command line as words, as a shell would split it; raises BadInput, about ``key``, where it cannot be."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"{key}={command}: {str(error).lower()}") from None
    if not words:
        raise BadInput(f"{key}={command}: name a program")
    return words


def readable(text: str) -> str:
    """Text of a program on one line: printable ASCII, with escapes for other letters, cut to 120 characters."""
    ascii_alone = text.encode("ascii", "backslashreplace").decode("ascii")
    line = " ".join("".join(c if " " <= c <= "~" else " " for c in ascii_alone).split())
    return line if len(line) <= 120 else line[:117] + "..."


class Process:
    """One running program. It has a session of its own, so that a Ctrl-C meant for us does not reach it.

    command : words, the first one is the program; patience : seconds after which an answer counts as a hang
    Raises BadInput where it cannot be started at all.
    """

    def __init__(self, command: list[str], patience: float, log: Log | None = None) -> None:
        self.patience, self._log = patience, log or Log()
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except OSError as error:
            raise BadInput(f"{command[0]} cannot be started: {(error.strerror or 'unknown reason').lower()}") from None
        except ValueError as error:  # letters that no argument of a program can have
            raise BadInput(f"{readable(command[0])} cannot be started: {error}") from None
        # A program that does not read would hold up a blocking write for good, whatever the patience.
        os.set_blocking(self._pipe(self._process.stdin).fileno(), False)
        self._lines: queue.Queue[bytes | None] = queue.Queue(1000)  # a program that floods waits
        self._last_words = b""
        self._done = threading.Event()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    # -------------------------------------------------------------------------------------------------- talking

    def send(self, command: str, stop: threading.Event | None = None) -> None:
        """Send one line.

        Raises EngineError where it has crashed, EngineTimeout where it does not read, KeyboardInterrupt where ``stop``
        is set meanwhile.
        """
        rest, end = memoryview(f"{command}\n".encode()), time.monotonic() + self.patience
        handle = self._pipe(self._process.stdin).fileno()
        try:
            while rest:
                try:
                    rest = rest[os.write(handle, rest) :]
                except BlockingIOError:
                    self._wait_until_it_reads(handle, command, end, stop)
        except OSError:
            raise self._crash() from None

    def _wait_until_it_reads(self, handle: int, command: str, end: float, stop: threading.Event | None) -> None:
        """Wait a moment for room in the pipe; raises EngineTimeout after ``end``, KeyboardInterrupt at ``stop``."""
        if time.monotonic() >= end:
            raise EngineTimeout(f"hangs: did not read {readable(command)} within {self.patience:g} s")
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        room = select.poll()
        room.register(handle, select.POLLOUT)
        room.poll(round(1000 * POLL_SECONDS))

    def _line(self, command: str, end: float, stop: threading.Event | None) -> bytes:
        """The next line of an answer; raises EngineTimeout after ``end``, KeyboardInterrupt where ``stop`` is set."""
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise EngineTimeout(f"hangs: no answer to {command} within {self.patience:g} s")
            if stop is not None and stop.is_set():
                raise KeyboardInterrupt
            try:
                line = self._lines.get(timeout=min(left, POLL_SECONDS))
            except queue.Empty:
                continue
            if line is None:
                raise self._crash()
            if len(line) > MAX_LINE:
                raise EngineError(f"answered {command} with a line of more than {MAX_LINE >> 10} KiB")
            return line

    def _unasked(self) -> Iterator[bytes]:
        """Lines that have come and that nobody has asked for; raises EngineError where it has crashed."""
        with contextlib.suppress(queue.Empty):
            while True:
                line = self._lines.get_nowait()
                if line is None:
                    raise self._crash()
                yield line

    def _crash(self) -> EngineError:
        try:
            code = self._process.wait(SECONDS_TO_QUIT)
        except subprocess.TimeoutExpired:
            return EngineError("closed its output")
        self._threads[1].join(SECONDS_TO_QUIT)
        said = readable(self._last_words.decode("utf-8", "replace"))
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return EngineError(how + (f": {said}" if said else ""))

    # ------------------------------------------------------------------------------------------------ listening

    def _read(self) -> None:
        """Lines of stdout into the queue, the overlong one cut; None at the end."""
        left, handle = b"", self._pipe(self._process.stdout).fileno()
        while not self._done.is_set():
            try:
                more = os.read(handle, MAX_LINE)
            except OSError:
                more = b""
            *lines, left = (left + more).split(b"\n")
            for line in lines:
                self._put(line)
            if not more or len(left) > MAX_LINE:
                self._put(left if left.strip() else None)
                break
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        while not self._done.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=POLL_SECONDS)
                return

    def _read_errors(self) -> None:
        left, handle = b"", self._pipe(self._process.stderr).fileno()
        with contextlib.suppress(OSError):
            while more := os.read(handle, MAX_LINE):
                self._log.add(more)
                *whole, left = (left + more).split(b"\n")
                left = left[-MAX_LAST_WORDS:]  # of a line that does not end
                said = next((line for line in (left, *reversed(whole)) if line.strip()), self._last_words)
                self._last_words = said[-MAX_LAST_WORDS:]

    # --------------------------------------------------------------------------------------------------- ending

    def close(self) -> None:
        """Let it quit, and kill it where it does not within a second."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            stdin = self._pipe(self._process.stdin)
            os.write(stdin.fileno(), b"quit\n")
            stdin.close()
            self._process.wait(SECONDS_TO_QUIT)
        self.kill()

    def kill(self) -> None:
        """End it at once, and whatever it has started."""
        self._done.set()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for thread in self._threads:
            thread.join(SECONDS_TO_QUIT)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError):
                self._pipe(pipe).close()

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe
