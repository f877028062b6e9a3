"""What a command shows: progress on stderr (bars on a terminal, a line now and then elsewhere), results on stdout."""

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from experiments.terminal.live_line import columns_that_fit
from experiments.terminal.pace import Pace
from experiments.terminal.sweep_clock import SweepClock, duration
from experiments.terminal.tables import FittedTable
from gpumcts.compiling import messages
from gpumcts.compiling.interruption import ending_at
from gpumcts.stop_event import as_raised_by_handlers
from gpumcts.whole_files import disk_full

LINE_EVERY_SECONDS = 30.0  # where there is no terminal
FIRST_LINE_SECONDS = 5.0  # the first one of a run
LONG_SECONDS = 10.0  # of work that moves no bar
POLL_SECONDS = 1.0  # at what the other runs of a sweep have left
WIDTH_WITHOUT_TERMINAL = 140
ROUNDS_TO_ONE = 0.9995
"""Of a unit, what three digits show as 1 of it; in the unit below it would read as 1e+03."""

Shown = FittedTable | Table | str
"""What ``show`` takes."""
_KEPT: list[Shown] | None = None
_UNWRITTEN: list[OSError] = []
"""Why results could not be shown on stdout; the first error counts."""


class _Console(Console):
    """Rich's, which leaves a closed pipe to ``_going_on``, where rich itself would end the process."""

    def on_broken_pipe(self) -> None:
        """Raises the BrokenPipeError that calls it."""
        raise  # noqa: PLE0704


def writable() -> None:
    """Make stdout and stderr take all that is shown: characters that their encoding lacks are escaped.

    One that was closed before the process began takes everything and shows nothing.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _console(to_stderr: bool) -> Console:
    stream = sys.stderr if to_stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL
    # Texts are shown as they are: pip's '.[cuda13]' is no markup, and of 'sgf:fire:3' rich would make a picture.
    return _Console(stderr=to_stderr, width=width, highlight=False, soft_wrap=False, markup=False, emoji=False)


def say(text: str) -> None:
    """A line of progress, on stderr; where that is a full disk, or nobody reads it, the work goes on without."""
    with _going_on(sys.stderr):
        _console(True).print(text, soft_wrap=True)


@contextmanager
def say_if_long(text: str) -> Iterator[None]:
    """A line of progress where the block takes long: for work that moves no bar, as no share of it is known."""
    timer = threading.Timer(LONG_SECONDS, say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _going_on(stream: TextIO) -> Iterator[list[OSError]]:
    """Go on where a stream is a full disk, or a pipe that nobody reads: what is written to it from then on is let go.

    Gives the errors of a full disk; who closes a pipe has read enough.
    """
    errors: list[OSError] = []
    try:
        yield errors
    except OSError as error:
        if disk_full(error) is not None:
            errors.append(error)
        elif not isinstance(error, BrokenPipeError):
            raise
        with suppress(OSError, ValueError), open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), stream.fileno())  # what is left in its buffer is written as the process ends


@contextmanager
def showing() -> Iterator[None]:
    """Print results on stdout; where that is a full disk, the work goes on, and ``shown_in_full`` tells.

    Where nobody reads them any more, as with ``| head``, it goes on too.
    """
    with _going_on(sys.stdout) as errors:
        yield
    _UNWRITTEN.extend(errors)


def shown_in_full(code: int) -> int:
    """The exit code of a command that ends with ``code``: it failed where stdout was a full disk, which a line says."""
    with showing():
        sys.stdout.flush()
    if not _UNWRITTEN:
        return code
    _UNWRITTEN[0].filename = "standard output"
    print(f"error: {disk_full(_UNWRITTEN[0])}", file=sys.stderr)
    _UNWRITTEN.clear()
    return code or 1


@contextmanager
def kept() -> Iterator[list[Shown]]:
    """What ``show`` is given while the block runs, in place of stdout."""
    global _KEPT
    before, _KEPT = _KEPT, []
    try:
        yield _KEPT
    finally:
        _KEPT = before


def show(*things: Shown) -> None:
    """Results, on stdout; without blanks at the ends of lines where it is no terminal."""
    if _KEPT is not None:
        _KEPT.extend(things)
        return
    with showing():
        _print(things)


def _print(things: Sequence[Shown]) -> None:
    console = _console(False)
    for thing in things:
        if isinstance(thing, str):
            console.print(thing, soft_wrap=True)
        elif console.is_terminal:
            console.print(thing, crop=False)
        else:
            with console.capture() as drawn:
                console.print(thing, crop=False)
            console.print("\n".join(line.rstrip() for line in drawn.get().splitlines()), soft_wrap=True)


class Lines:
    """Lines of progress where there is no terminal: the first of a run after some seconds, then one now and then.

    sweep, run : the clock of the sweep that this process works in, and the folder of its run there; None and empty
        outside of one
    """

    sweep: SweepClock | None = None
    run = ""

    def __init__(self) -> None:
        self._next = 0.0

    def begin(self) -> None:
        """A run begins; its first line comes soon, but not sooner after another's last one than lines come."""
        self._next = max(self._next, time.monotonic() + FIRST_LINE_SECONDS)

    def due(self) -> bool:
        """Whether it is time for a line; it counts as said then."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + LINE_EVERY_SECONDS
        return True

    def of_sweep(
        self, share: float = 0.0, earlier: float = 0.0, made: float = 0.0, worked: float = 0.0, short: bool = False
    ) -> str:
        """How the sweep stands while so much of this run is done; empty outside of a sweep."""
        return "" if self.sweep is None else self.sweep.words(self.run, share, earlier, made, worked, short)


LINES = Lines()
"""Those of this process."""


@contextmanager
def sweeping(clock: SweepClock | None, run: str) -> Iterator[None]:
    """A run of a sweep while the block runs; ``run`` is the name of its folder. Its end may be told in a line."""
    if clock is None:
        yield
        return
    LINES.sweep, LINES.run = clock, run
    try:
        yield
        LINES.run = ""
        if len(clock.done()) < clock.runs and LINES.due():
            say(LINES.of_sweep())
    finally:
        LINES.sweep, LINES.run = None, ""


class Bar:
    """A bar of how much of some work is done; may be advanced from any thread."""

    def __init__(self, title: str, total: float, progress: Progress | None) -> None:
        self._title, self._total, self._progress = title, total, progress
        self._pace, self._looked = Pace(), time.monotonic()
        self._done, self._earlier = 0.0, 0.0
        self._note = self._sweep = self._short_sweep = ""
        self._task = progress.add_task(title, total=total, **self._texts()) if progress else None
        self._lock = threading.Lock()
        LINES.begin()

    def begin_at(self, amount: float) -> None:
        """So much was done by an earlier run, and says nothing of how fast this one is."""
        with self._lock:
            self._earlier = min(amount, self._total)
            self._done = max(self._done, self._earlier)
            self._show()

    def expect(self, total: float) -> None:
        """There is so much in all, as one knows now."""
        with self._lock:
            self._total = max(total, self._done)

    def skip(self, amount: float) -> None:
        """So much more was done by an earlier run, as one finds now."""
        with self._lock:
            amount = min(amount, self._total - self._done)
            self._earlier, self._done = self._earlier + amount, self._done + amount
            self._pace.skip(amount)
            self._show()

    def advance(self, amount: float) -> None:
        """So much more is done; never shown as more than there is, since totals may be estimates."""
        with self._lock:
            self._reach(self._done + amount)
            self._show()

    def reach(self, amount: float) -> None:
        """At least so much is done, what earlier runs did included."""
        with self._lock:
            self._reach(amount)
            self._show()

    def note(self, words: str) -> None:
        """A few words beside the bar."""
        with self._lock:
            self._note = words
            self._show()

    def _reach(self, amount: float) -> None:
        if (done := min(amount, self._total)) > self._done:
            self._done = done
            self._pace.report(done)

    def _show(self) -> None:
        if self._progress is not None and self._task is not None:
            if LINES.sweep is not None and time.monotonic() - self._looked > POLL_SECONDS:
                self._looked = time.monotonic()
                self._sweep, self._short_sweep = (
                    LINES.of_sweep(*self._of_run(), short=short) for short in (False, True)
                )
            texts = self._texts()
            self._progress.columns = tuple(columns_that_fit(self._progress.console.width, self._title, **texts))
            self._progress.update(self._task, completed=self._done, total=self._total, **texts)
        elif LINES.due():
            done = ", ".join(filter(None, [f"{100 * self._done / (self._total or 1):.0f} %", self._left()]))
            words = [done, self._note, LINES.of_sweep(*self._of_run())]
            say(f"{self._title}: {'; '.join(filter(None, words))}")

    def _texts(self) -> dict[str, Any]:
        """The texts of the live line beside its title."""
        return {"left": self._left(), "note": self._note, "sweep": self._sweep, "short_sweep": self._short_sweep}

    def _of_run(self) -> tuple[float, float, float, float]:
        """What a sweep's clock asks of its run: shares done, done by an earlier run, and made in seconds of work."""
        total = self._total or 1
        made, worked = self._pace.made(self._done)
        return self._done / total, self._earlier / total, made / total, worked

    def _left(self) -> str:
        seconds = self._pace.left(self._done, self._total)
        return "" if seconds is None else f"about {duration(seconds)} left"


@contextmanager
def bar(title: str, total: float) -> Iterator[Bar]:
    """A bar while the block runs, on a terminal with what is compiled meanwhile; elsewhere a line every half minute."""
    console = _console(True)
    if not console.is_terminal:
        yield Bar(title, total, None)
        return
    columns = columns_that_fit(console.width, title, "", "", "", "")
    with Progress(*columns, console=console, transient=True) as progress:
        before = messages.announce
        messages.announce = lambda name: progress.console.print(f"compiling {name} ...", style="dim")
        try:
            yield Bar(title, total, progress)
        finally:
            messages.announce = before


@contextmanager
def stop_on_interrupt(message: str) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets, saying ``message``; the second interrupts at once. For the main thread.

    The first one ends what compiles meanwhile, by KeyboardInterrupt.
    """
    stop = threading.Event()

    def on_signal(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say(message)

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, on_signal)
    try:
        with ending_at(stop), as_raised_by_handlers():
            yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def table(
    title: str,
    columns: Mapping[str, str],
    rows: Sequence[Sequence[str]],
    secondary: Sequence[str] = (),
    where: str = "",
) -> FittedTable:
    """A table for ``show``; ``columns`` maps headings to ``left`` or ``right``, the rest as in ``FittedTable``."""
    return FittedTable(title, columns, rows, secondary, where)


def pairs(rows: Mapping[str, str]) -> Table:
    """Names and what they are, without lines."""
    drawn = Table.grid(padding=(0, 2))
    for name, text in rows.items():
        drawn.add_row(name, text)
    return drawn


def here(path: Path) -> str:
    """A path as seen from the current folder where it lies below it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def counted(number: int, thing: str, things: str = "") -> str:
    """So many things: ``1 game``, ``1,200 games``; ``things`` is the plural where that is not by an s: ``3 plies``."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def seconds_text(seconds: float) -> str:
    """Seconds, not negative, in the unit that suits them: 52.2 µs, 12.3 ms, 4.5 s, 4,000 s."""
    if seconds >= 1000 * ROUNDS_TO_ONE:
        return f"{seconds:,.0f} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= ROUNDS_TO_ONE * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.2g} µs"


def shortened(number: float) -> str:
    """A rate or a count for people: 1.23 M, 45.6 k, 789; from a thousand G on 1,000 G."""
    if abs(number) >= 1e12 * ROUNDS_TO_ONE:
        return f"{number / 1e9:,.0f} G"
    for limit, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(number) >= ROUNDS_TO_ONE * limit:
            return f"{number / limit:.3g}{unit}"
    return f"{number:.3g}" if number % 1 else f"{number:.0f}"
