"""Runs over positions that a kill does not end: what is missing is done, then the report is made of all there is."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from experiments.config.schema import Checked
from experiments.runs.run_directory import Run
from experiments.terminal.console import Bar, bar, here, say, show, stop_on_interrupt
from gpumcts.match.lock import held


class Reported(NamedTuple):
    """What a finished job comes to: its summary, it in a few words, and what the terminal shows of it."""

    summary: dict[str, Any]
    brief: str
    shown: list[Any]


class Job(Protocol):
    """Work over ``total`` positions, each kept under ``kept`` once it is done."""

    total: int
    kept: Path

    def done(self) -> int:
        """How many positions are done."""
        ...

    def go_on(self, stop: threading.Event, shown: Bar) -> None:
        """Do the missing ones; KeyboardInterrupt where ``stop`` is set meanwhile."""
        ...

    def report(self) -> Reported:
        """Write the report of a job that is done."""
        ...


def resume(config: Checked, run: Run, job_in: Callable[[Checked, Path], Job]) -> dict[str, Any]:
    """Do what is missing of the job in the run's folder and report on it; returns the summary of the run.

    Raises BadInput where another process works there.
    """
    with held(run.folder):
        return _resume(config, run, job_in(config, run.folder))


def _resume(config: Checked, run: Run, job: Job) -> dict[str, Any]:
    title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else config.slug
    with stop_on_interrupt("stopping; finished positions are kept ...") as stop, bar(title, job.total) as shown:
        shown.begin_at(job.done())
        try:
            job.go_on(stop, shown)
        except KeyboardInterrupt:
            say(f"{job.done()} of {job.total} positions are done, in {here(job.kept)}")
            return {"interrupted": True, "positions": job.done(), "seed": config.keys.seed}
    found = job.report()
    if run.of > 1:
        say(f"{title}: {found.brief}  {here(run.folder)}")
    else:
        show(*found.shown)
    return {**found.summary, **{key: value for key, value in config.study._asdict().items() if value is not None}}
