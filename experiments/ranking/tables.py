"""The tables of a ranking run for other programs: every move's rank, and every position's correlations, as CSV."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.config.schema import Checked
from experiments.ranking.summary import ranker

RANKS, BOARDS = "ranks.csv", "boards.csv"
PLACE = ("game", "ply", "position")
"""Games are counted from 1, as in ``position=pgn:FILE:GAME:PLIES``."""


def write_ranks(config: Checked, lines: Sequence[Mapping[str, Any]], path: Path) -> None:
    """A row for each position, method and move: its value in the method's units, and its rank, 1 being the best."""
    judge = ranker(config)

    def rows() -> Iterator[list[Any]]:
        for line in lines:
            for name in config.keys.methods:
                found = judge.ranks(dict(line), name)
                for move, value, rank in zip(line["moves"], line["values"][name], found, strict=True):
                    yield [*_place(line), move, name, f"{value:.10g}", f"{rank:g}"]

    _write(path, [*PLACE, "move", "method", "value", "rank"], rows())


def write_boards(config: Checked, lines: Sequence[Mapping[str, Any]], path: Path) -> None:
    """A row for each position and method: both correlations with the reference, and whether the best moves agree.

    ``best_agrees`` is the probability that the method's best move, one of several at random, is one of the reference's.
    All three are empty where the reference ties all moves.
    """
    judge, keys = ranker(config), config.keys

    def rows() -> Iterator[list[Any]]:
        for line in lines:
            for name in (name for name in keys.methods if name != keys.reference):
                found = judge.agreement(dict(line), name)
                numbers = [""] * 3 if found is None else [f"{x:.6g}" for x in (found.rho, found.tau, found.best)]
                yield [*_place(line), len(line["moves"]), name, keys.reference, *numbers]

    _write(path, [*PLACE, "moves", "method", "yardstick", "spearman", "kendall", "best_agrees"], rows())


def _place(line: Mapping[str, Any]) -> list[Any]:
    return [line["game"] + 1, line["ply"], line["position"]]


def _write(path: Path, headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(headings)
        writer.writerows(rows)
