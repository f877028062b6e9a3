"""When winners reported their wins: kept in the journal, the same when resumed; old journals have no win rates."""

import json
import threading

import numpy as np
import pytest

from gpumcts.alpha_beta.batch import Deepening
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.kernels.batch import Rules
from gpumcts.match.game_batch import GameBatch
from gpumcts.match.result import ReportedWins
from gpumcts.match.runner import play_match
from gpumcts.options import option
from gpumcts.players.contract import NOT_REPORTED, PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN
from gpumcts.players.pvs import PvsPlayer
from gpumcts.players.random import RandomPlayer
from gpumcts.players.uct import UctPlayer
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings

GAME = DotsAndBoxes(2, 2)


def pvs():
    return PvsPlayer(Deepening(GAME, 1 << 14), nodes=10**6)


def uct(**settings):
    rule, operator = option("selection", "ucb1")(), option("backup", "average")()
    return UctPlayer(Searcher(GAME, Uniform(), rule, operator, settings=Settings(**settings)), 200)


def reported_win_of(rates, movers_score):
    """When a win is reported in a game whose moves had these win rates; the last score decides the winner."""
    games = GameBatch(Rules(GAME), 1)
    for ply, mover, rate in rates:
        games.plies[0], games.movers[0] = ply, mover
        games._note_reported(np.zeros(1, np.int64), np.array([rate]))
    games.scores[0] = movers_score
    games._note_reported_win(0)
    return games.reported_wins.get(0)


@pytest.mark.parametrize(
    ("rates", "ply"),
    [
        ([], None),
        ([(0, 0, 500), (2, 0, 960), (4, 0, 1000)], 2),
        ([(0, 0, 960), (2, 0, 940), (4, 0, 950)], 4),
        ([(0, 0, 960), (1, 1, 999), (2, 0, 940)], None),
        ([(0, 0, PROVEN_WIN), (2, 0, 100), (4, 0, 990)], 0),
        ([(0, 0, PROVEN_WIN), (2, 0, 100), (4, 0, PROVEN_WIN)], 0),
        ([(0, 0, 990), (2, 0, PROVEN_WIN), (4, 0, PROVEN_WIN)], 0),
        ([(0, 0, PROVEN_DRAW), (1, 1, PROVEN_WIN), (2, 0, PROVEN_LOSS)], None),
    ],
)
def test_the_first_report_of_a_win(rates, ply):
    """Of the first player, who wins; of the second, where all is turned round; in a draw there is none."""
    assert reported_win_of(rates, 1) == ply
    assert reported_win_of([(at, 1 - turn, rate) for at, turn, rate in rates], -1) == ply
    assert reported_win_of(rates, 0) is None


@pytest.mark.slow
def test_reported_win_rates_of_a_search_that_proves():
    """What pvs reports of boxes is exact, and with search.solve UCT reports what it has proven of the move it plays."""
    rules = Rules(GAME)
    states, count = rules.starts(80), 80
    for ply in range(6):
        states = rules.play(states, rules.random_moves(states, np.array([key_of(5, i, ply) for i in range(count)])))
    keys, games = np.array([key_of(6, i) for i in range(count)]), np.arange(count)
    moves, exact = pvs().choose_and_tell(states, keys, games)
    assert set(exact) == {PROVEN_LOSS, PROVEN_DRAW, PROVEN_WIN}
    assert (moves == pvs().choose(states, keys, games)).all()
    _, solved = uct(solve=True).choose_and_tell(states, keys, games)
    told = solved >= PROVEN_LOSS
    assert told.any() and (solved[told] == exact[told]).all()
    _, rates = uct().choose_and_tell(states, keys, games)
    assert ((rates >= 0) & (rates <= 1000)).all() and rates[exact == PROVEN_WIN].mean() > rates[
        exact == PROVEN_LOSS
    ].mean()
    assert (
        PvsPlayer(Deepening(GAME, 64), depth=1).choose_and_tell(rules.starts(1), keys[:1], games[:1])[1] == NOT_REPORTED
    ).all()


def play(folder, players, games=12, most_moves=10**9):
    stop = threading.Event()
    on_progress = lambda progress: stop.set() if progress.moves > most_moves else None  # noqa: E731
    return play_match(
        GAME, players, games, 1, folder, {}, games_in_flight=5, on_progress=on_progress, stop=stop, at_once=2
    )


def test_a_match_tells_when_wins_were_reported_and_keeps_it(tmp_path):
    """The first player wins 2 x 2 boxes, so his search proves it at ply 0 in the six games that he begins."""
    whole = play(tmp_path / "whole", (pvs(), RandomPlayer(GAME)))
    assert whole.reported_wins[1] == ReportedWins(0, None)
    assert whole.reported_wins[0].games == whole.wins >= 6
    assert 0 <= whole.reported_wins[0].mean_ply < 6
    assert play(tmp_path / "resumed", (pvs(), RandomPlayer(GAME)), most_moves=40).interrupted
    resumed = play(tmp_path / "resumed", (pvs(), RandomPlayer(GAME)))
    assert (resumed.reported_wins, resumed.digest) == (whole.reported_wins, whole.digest)


def test_a_journal_without_win_rates_goes_on(tmp_path):
    """One that was begun by players who report nothing, as older journals were."""

    class Silent:
        def __init__(self, player):
            self.__dict__.update(player=player)

        def __getattr__(self, name):
            if name == "choose_and_tell":
                raise AttributeError(name)
            return getattr(self.player, name)

    whole = play(tmp_path / "whole", (pvs(), RandomPlayer(GAME)))
    assert play(tmp_path / "mixed", (Silent(pvs()), RandomPlayer(GAME)), most_moves=40).interrupted
    lines = [json.loads(line) for line in (tmp_path / "mixed" / "moves.jsonl").read_text().splitlines()]
    assert lines and not any("views" in line for line in lines)
    mixed = play(tmp_path / "mixed", (pvs(), RandomPlayer(GAME)))
    assert mixed.digest == whole.digest
    assert any("views" in line for line in (tmp_path / "mixed" / "moves.jsonl").read_text().splitlines())
