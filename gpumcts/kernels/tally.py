"""Outcomes of playouts: sums over many, or one by one."""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gpumcts.kernels.playout_loop import DRAWS, PLIES, SCORE, WINS

LOW, HIGH = (0, 1) if (sys.byteorder == "little") else (1, 0)  # halves of a word


class TallyColumns(NamedTuple):
    """What the playouts of B leaves came to, each int64[B], for the first player.

    score : sum of scores in SCORE_UNIT; wins, draws : counts (losses are the rest); plies : sum of lengths
    """

    score: np.ndarray
    wins: np.ndarray
    draws: np.ndarray
    plies: np.ndarray

    @classmethod
    def of(cls, columns: np.ndarray) -> "TallyColumns":
        """From the int64[B, 4 ...] that the kernels write."""
        return cls(columns[:, SCORE], columns[:, WINS], columns[:, DRAWS], columns[:, PLIES])


class Outcomes:
    """A ``TallyColumns`` of one playout a leaf, whose arrays are made when they are asked for.

    words : uint64[B], score and plies of each (``cuda.kernels.outcome_word``); four int64[B] take four times the memory
    """

    def __init__(self, words: np.ndarray) -> None:
        self._halves = words.view(np.int32).reshape(-1, 2)

    @property
    def score(self) -> np.ndarray:
        """Scores in SCORE_UNIT, int64[B]."""
        return self._halves[:, HIGH].astype(np.int64)

    @property
    def wins(self) -> np.ndarray:
        """1 where the first player won, else 0, int64[B]."""
        return (self._halves[:, HIGH] > 0).astype(np.int64)

    @property
    def draws(self) -> np.ndarray:
        """1 where nobody won, else 0, int64[B]."""
        return (self._halves[:, HIGH] == 0).astype(np.int64)

    @property
    def plies(self) -> np.ndarray:
        """Lengths, int64[B]."""
        return self._halves[:, LOW].astype(np.int64)

    def __len__(self) -> int:
        return len(TallyColumns._fields)

    def __getitem__(self, index: int) -> np.ndarray:
        return getattr(self, TallyColumns._fields[index])

    def __iter__(self) -> Iterator[np.ndarray]:
        return (getattr(self, name) for name in TallyColumns._fields)
