"""What cells of runs over positions of games share: their lines, each checked against the positions of the run."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from experiments.reproduction.cells import Digests
from experiments.reproduction.gathering.common import FIRST, digest_of_lines
from experiments.reproduction.quantities import Estimate
from gpumcts.errors import BadInput

Line = dict[str, Any]


def lines_of(path: Path, count: int) -> list[Line]:
    """The lines of positions 0 to ``count`` - 1 of a file; raises BadInput where one is missing or damaged."""
    try:
        read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        found = {line["number"]: line for line in read}
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{path} holds a line that is no position's") from None
    missing = next((number for number in range(count) if number not in found), None)
    if missing is not None:
        raise BadInput(f"{path}: position {missing} is missing; finish the run first")
    return [found[number] for number in range(count)]


def digests_of(values: Iterable[Any], first: Iterable[Any]) -> Digests:
    """Of JSON values, one a search; ``first`` are those of the first ten."""
    every, some = ([json.dumps(value, sort_keys=True) for value in part] for part in (values, first))
    return Digests(all=digest_of_lines(every), first_ten=digest_of_lines(some))


def first_of(values: Sequence[Any]) -> Sequence[Any]:
    """The first ten."""
    return values[:FIRST]


def estimate(count: int, interval: Sequence[float | None], folder: Path) -> Estimate:
    """A mean over ``count`` units with its interval by game; raises BadInput where one game gave no interval."""
    mean, low, high = interval
    if mean is None or low is None or high is None:
        raise BadInput(f"{folder}: positions of one game give no interval; take more games")
    return Estimate(count=count, number=mean, low=min(low, mean), high=max(high, mean))
