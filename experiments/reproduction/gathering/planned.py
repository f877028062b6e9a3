"""Digests of runs of planners."""

import numpy as np

from experiments.reproduction.cells import Digests
from experiments.reproduction.gathering.common import FIRST, digest_of
from experiments.runs.array_files import read_npz
from experiments.runs.results import Result
from experiments.runs.tree_searches import PIECES
from gpumcts.errors import BadInput


def planning_digests(run: Result) -> Digests:
    """The digest of all answers, and of those for the first ten states in the first stage.

    Later stages have more samples, and are there where the mean over all states asks for them. So a run of ten states
    has other stages than a run of a thousand, but the same answers in the first.
    """
    files = sorted((run.folder / PIECES).glob("*-*.npz"), key=lambda path: tuple(map(int, path.stem.split("-"))))
    if not files:
        raise BadInput(f"{run.folder}: there are no {PIECES}")
    first = [path for path in files if path.stem.partition("-")[0] == files[0].stem.partition("-")[0]]
    answers: list[np.ndarray] = []
    while sum(map(len, answers)) < FIRST and len(answers) < len(first):
        answers += read_npz(first[len(answers)], ["chosen"])
    return Digests(all=run.summary["digest"], first_ten=digest_of([np.concatenate(answers)], FIRST))
