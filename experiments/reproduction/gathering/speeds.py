"""Cells of processor times: what an algorithm costs beside another."""

import json
from collections.abc import Sequence

import numpy as np
from scipy import stats

from experiments.reproduction.catalogue import Item, Paper
from experiments.reproduction.cells import Cell, Digests
from experiments.reproduction.gathering.common import FIRST, cell_of, digest_of_lines
from experiments.reproduction.quantities import Estimate, Measured, Published
from experiments.runs.results import Result
from gpumcts.errors import BadInput

PLAIN = "average"
NEGLIGIBLE = 1.05
"""What a ratio of times has to be below: a bound of ours."""
LEVEL = 0.95
MIN_PAIRS = 6
"""With fewer pairs no two of them enclose the median with 95 %."""


def overhead(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Processor time of each algorithm over plain UCT's, paired by seed: Hashimoto et al. 2012, section 5.2."""
    runs: dict[str, dict[str, dict[int, Result]]] = {}
    for run in results:
        by_option = runs.setdefault(run.config["game"]["name"], {})
        by_option.setdefault(run.config["backup"]["name"], {})[run.config["seed"]] = run
    found = []
    for game, by_option in runs.items():
        plain = by_option.pop(PLAIN, {})
        for name, some in by_option.items():
            pairs = [(some[seed], plain[seed]) for seed in sorted(some.keys() & plain.keys())]
            found.append(_beside(paper, item, game, name, pairs))
    return found


def _beside(paper: Paper, item: Item, game: str, name: str, pairs: Sequence[tuple[Result, Result]]) -> Cell:
    if len(pairs) < MIN_PAIRS:
        raise BadInput(f"{item.name}: {len(pairs)} pairs of searches of {game} give no interval of their median")
    times = [[run.summary["processor_seconds"] for run in pair] for pair in pairs]
    quantity = median_of([ours / plain for ours, plain in times])
    ours = {"iterations": pairs[0][0].config["budget"]["iterations"], "searches": len(pairs)}
    published = Published(relation="below", value=NEGLIGIBLE, budget=item.budget, source=item.place)
    measured = Measured(unit="ratio", quantity=quantity)
    title = f"{game}: processor time of {name.capitalize()} over plain UCT"
    digests = _digests(pairs)
    return cell_of(paper, item, f"{game}-{name}", title, pairs[0], measured, published, ours, digests)


def median_of(values: Sequence[float]) -> Estimate:
    """The median and the order statistics that enclose it with at least 95 %."""
    ordered, count = np.sort(values), len(values)
    below = int(stats.binom.ppf((1 - LEVEL) / 2, count, 0.5)) - 1
    low, high = ordered[below], ordered[count - 1 - below]
    return Estimate(count=count, number=float(np.median(ordered)), low=float(low), high=float(high))


def _digests(pairs: Sequence[tuple[Result, Result]]) -> Digests:
    """Of what the searches found; times are another machine's."""
    lines = [json.dumps([run.summary["moves"] for run in pair]) for pair in pairs]
    return Digests(all=digest_of_lines(lines), first_ten=digest_of_lines(lines[:FIRST]))
