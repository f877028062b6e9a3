"""Playouts from Python: many from each of a batch of positions, and how they end."""

import contextlib
import functools
import hashlib
import threading
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from gpumcts.api.interrupts import stoppable
from gpumcts.api.option_values import Option
from gpumcts.api.positions import batch_of, check_playing
from gpumcts.api.search import engine_named, threads_of
from gpumcts.game_keys import keys_of
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.engines import playout_engine
from gpumcts.options import compiled, value_of
from gpumcts.playouts.contract import check_policy
from gpumcts.rng import key_of
from gpumcts.validation import integer, seed_of

MAX_PLAYOUTS = 10**12
WORDS_A_CALL = 1 << 21  # of the states that are handed to an engine together: 16 MiB
KEPT_ENGINES = 8
_DEVICE = threading.Lock()  # an engine of a device is one thread's at a time


@dataclass(frozen=True, eq=False)  # arrays are equal element by element
class Tally:
    """How the playouts of B positions ended; ``play_out`` returns it. All arrays are int64[B], for the first player.

    playouts : of each position
    wins, draws, losses : counts; they add up to ``playouts``
    scores : sums of scores, 2^20 for a win, -2^20 for a loss; between them in games that count more than the winner,
        and in playouts that end in an evaluation
    plies : sums of the playouts' lengths, in plies
    digest : SHA-256 over all scores in order of position and playout (little-endian int64); two tallies with the same
        digest are the same playout for playout

    Tallies are equal where all of these are.

    >>> import gpumcts as g
    >>> game = g.make("dots_and_boxes", rows=1, columns=2)
    >>> tally = g.play_out(game, "uniform", g.start(game, batch=2), playouts=64, seed=1)
    >>> (tally.wins + tally.draws + tally.losses).tolist()
    [64, 64]
    """

    playouts: int
    wins: npt.NDArray[np.int64]
    draws: npt.NDArray[np.int64]
    losses: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]
    digest: str

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self.__dataclass_fields__)

    def __hash__(self) -> int:
        return hash((self.playouts, self.digest))

    @property
    def win_rates(self) -> npt.NDArray[np.float64]:
        """The first player's win rate of each position, float64[B] in [0, 1], a draw counting as half a win."""
        return (self.wins + self.draws / 2) / self.playouts


def play_out(
    game: Option | str,
    playout: Option | str,
    states: "npt.ArrayLike",
    playouts: SupportsIndex = 256,
    seed: SupportsIndex = 1,
    engine: str = "auto",
    threads: SupportsIndex | None = None,
) -> Tally:
    """Play ``playouts`` playouts from each of ``states`` and count how they end.

    Parameters
    ----------
    game, playout : what is played and by which policy, options or their names
    states : uint64[B, W], positions that are not over; where chance is to move, playouts begin with its outcomes
    playouts : of each position, 1 to 10^12
    seed : 0 to 2^64 - 1. Playout p of position b has the key (seed, p, b): more playouts go on where fewer ended
    engine : ``auto``, ``cpu``, ``cuda`` or ``cudasim``
    threads : CPU threads, every core if None; neither engine nor threads change a result

    Raises BadInput for unknown names, values out of range, another shape or type, and a position that is over. Ctrl-C
    ends the tally within about 0.1 s of compiled work.

    >>> import gpumcts as g
    >>> game = g.make("dots_and_boxes", rows=1, columns=2)
    >>> g.play_out(game, g.playouts.Uniform(), g.start(game), playouts=1000, seed=1).win_rates.shape
    (1,)
    """
    rules, policy = Rules(value_of("game", game)), value_of("playout", playout)
    check_policy(policy, rules.game)
    given = batch_of(rules.width, states).copy()
    count, root = integer("playouts", playouts, 1, MAX_PLAYOUTS), key_of(seed_of(seed))
    cores, name = threads_of(threads), engine_named(engine)
    check_playing(rules, given)
    with stoppable() as stop:
        player_out = _engine_of(name, rules.game, compiled(policy), cores)
        with contextlib.nullcontext() if player_out.name == "cpu" else _DEVICE:
            return _tallied(player_out, given, count, root, stop)


@functools.lru_cache(maxsize=KEPT_ENGINES, typed=True)  # options of two classes may be equal as tuples
def _engine_of(name: str, game: Any, policy: Any, threads: int) -> Any:
    """An engine that was made is made again in 50 ms; a loop over positions would notice."""
    return playout_engine(name, game, policy, threads)


def _tallied(engine: Any, states: np.ndarray, playouts: int, root: np.uint64, stop: threading.Event) -> Tally:
    totals = np.zeros((4, len(states)), np.int64)
    digest, at_once = hashlib.sha256(), max(1, WORDS_A_CALL // states.shape[1])
    for begin in range(0, len(states) * playouts, at_once):
        flat = np.arange(begin, min(begin + at_once, len(states) * playouts))
        rows, numbers = flat // playouts, flat % playouts
        tally = engine.tally(states[rows], keys_of(root, numbers, rows), 1, stop)
        digest.update(tally.score.astype("<i8").tobytes())
        for total, column in zip(totals, tally, strict=True):
            np.add.at(total, rows, column)
    scores, wins, draws, plies = totals
    return Tally(playouts, wins, draws, playouts - wins - draws, scores, plies, digest.hexdigest())
