"""Runs of a sweep that repeat others."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from experiments.app.sweeps import Job
from experiments.runs.run_directory import digest

T = TypeVar("T")


def repeated(jobs: Sequence[Job]) -> list[int]:
    """The numbers of runs that an earlier one equals in every key: ``seed=1,1.0`` are two ways to write one run."""
    first: dict[str, list[Job]] = {}
    found = []
    for number, job in enumerate(jobs):
        earlier = first.setdefault(digest(job.checked.identity), [])  # in Python 1 equals true, in JSON it does not
        if any(job.plain == other.plain for other in earlier):
            found.append(number)
        else:
            earlier.append(job)
    return found


def all_but(numbers: Collection[int], rows: Sequence[T]) -> list[T]:
    """``rows`` but for those of these numbers."""
    return [row for number, row in enumerate(rows) if number not in numbers]
