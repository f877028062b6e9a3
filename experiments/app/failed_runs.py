"""Runs of a sweep that are refused or fail: they end no other run, and each is told in a line when the sweep is over.

Nothing of this is raised within a job or through a sweeper: Hydra would print lines of its own.
"""

import textwrap
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from omegaconf import DictConfig

from experiments.terminal.console import here
from gpumcts.errors import BadInput
from gpumcts.whole_files import disk_full, refused_path

TRACEBACK = "traceback.txt"
MAX_MESSAGE = 300  # characters of a fault's message; a compiler's fill pages


@dataclass(frozen=True)
class Failed:
    """What a run of a sweep returns in place of an objective.

    number, label : of the run in its sweep, from 1, and the values that set it apart there
    message : why, in one line
    refused : whether its input is to blame, and not the program
    """

    number: int
    label: str
    message: str
    refused: bool = True

    def line(self, of: int) -> str:
        """The same for people: ``[2/3] backup.decay=3: must be a number in (0, 1]``."""
        named = self.message.startswith(self.label) or not self.label
        return f"[{self.number}/{max(of, self.number)}] {self.message if named else f'{self.label}: {self.message}'}"


def failed_by(error: Exception, number: int, label: str, folder: Path) -> Failed:
    """What a run returns that ended in ``error``; the traceback of a fault is left in the run's folder."""
    if isinstance(error, BadInput):
        return Failed(number, label, str(error))
    if (told := refused_path(error)) is not None:
        return Failed(number, label, told)
    if (full := disk_full(error)) is not None:
        return Failed(number, label, full, refused=False)
    message = textwrap.shorten(f"{type(error).__name__}: {error}", MAX_MESSAGE, placeholder=" ...")
    with suppress(OSError):  # the disk may be full by now
        (folder / TRACEBACK).write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        message = f"{message}; {here(folder / TRACEBACK)} has the traceback"
    return Failed(number, label, message, refused=False)


class SweepEnded(Exception):
    """Too many runs failed for a sweeper to go on."""


Refusal = Callable[[Sequence[str], Callable[[], DictConfig]], str | None]
"""Why a run cannot be done, or None: by its overrides, and by what composes it."""


@dataclass
class Watch:
    """What the process that began a sweep knows of its runs; the launcher reports to it.

    of : how many runs there are
    launcher : the class of the launcher that does them
    refusal : asked before each run, where the sweeper makes runs up; None where all were checked before the sweep
    tolerated : the share of a batch, in [0, 1], that may fail before the sweep ends
    """

    of: int
    launcher: str
    refusal: Refusal | None = None
    tolerated: float = 1.0
    launched: int = 0
    failed: list[Failed] = field(default_factory=list)
    over: bool = False
    ended_early: bool = False

    def report(self, values: Sequence[object]) -> None:
        """A batch of runs has returned."""
        failed = [value for value in values if isinstance(value, Failed)]
        self.launched += len(values)
        self.failed += failed
        self.over = len(failed) > self.tolerated * len(values)

    def go_on(self) -> None:
        """Raise SweepEnded where no further batch is to begin.

        A sweeper has noted the failed runs of the last batch by then; so they do not stay open in what it stores.
        """
        if self.over:
            self.ended_early = True
            raise SweepEnded

    @property
    def chosen(self) -> bool:
        """Whether the sweep came to its end with runs to choose the best of."""
        return not self.ended_early and len(self.failed) < self.launched

    @property
    def all_failed(self) -> bool:
        """Whether no run has finished."""
        return 0 < self.launched == len(self.failed)

    def lines(self) -> list[str]:
        """The failed runs, a line each, in the order of the sweep."""
        lines = [failed.line(self.of) for failed in sorted(self.failed, key=lambda failed: failed.number)]
        if self.ended_early:
            lines[-1] += f"; the sweep ends here, by hydra.sweeper.max_failure_rate={self.tolerated:g}"
        return lines
