"""Matches from Python: games on disk or not, that go on, and players that are refused."""

import json
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import gpumcts as g
from gpumcts.api import match as api_match
from gpumcts.players.random import RandomPlayer

BOXES = g.make("dots_and_boxes", rows=1, columns=2)
RANDOM = g.players.Random()
FAKE = Path(__file__).parents[1] / "players" / "fake_program.py"


@pytest.fixture(scope="module")
def player():
    return g.Search(BOXES, threads=2).player(iterations=30)


def test_a_match_counts_for_the_first_player(player):
    match, turned = (g.play_match(BOXES, pair, games=30, seed=4) for pair in ((player, RANDOM), (RANDOM, player)))
    assert match.games == match.wins + match.draws + match.losses == 30
    assert match.win_rate > 0.5 > turned.win_rate
    low, high = match.interval
    assert 0 <= low <= match.win_rate <= high <= 1
    assert [record["game"] for record in match.records] == list(range(30))
    assert sum(record["result"] == "win" for record in match.records) == match.wins
    assert match.to_frame()["moves"].to_list() == [record["moves"] for record in match.records]


def test_neither_threads_nor_games_in_flight_change_a_game(player):
    alone = g.Search(BOXES, threads=1, engine="cpu").player(iterations=30)
    digest = g.play_match(BOXES, (player, RANDOM), games=10, seed=4).digest
    assert g.play_match(BOXES, (alone, RANDOM), games=10, seed=4, games_in_flight=3).digest == digest
    assert g.play_match(BOXES, (player, RANDOM), games=10, seed=5).digest != digest


def test_a_match_goes_on_in_its_folder(player, tmp_path):
    folder = tmp_path / "match"
    first = g.play_match(BOXES, (player, RANDOM), games=5, seed=4, folder=folder)
    more = g.play_match(BOXES, (player, RANDOM), games=12, seed=4, folder=folder)
    assert list(more.records[:5]) == list(first.records)
    assert more.digest == g.play_match(BOXES, (player, RANDOM), games=12, seed=4).digest
    lines = (folder / "games.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["game"] for line in lines) == list(range(12))  # written as games end
    fewer = g.play_match(BOXES, (player, RANDOM), games=5, seed=4, folder=folder)
    assert fewer.digest == first.digest
    with pytest.raises(g.BadInput, match="^budget.iterations=31 differs from the run in "):
        g.play_match(BOXES, (player._replace(iterations=31), RANDOM), games=5, seed=4, folder=folder)


def test_one_search_plays_itself_with_trees_that_are_kept():
    """With ``reuse`` trees are kept by game; the two sides must not share them."""
    search = g.Search(BOXES, threads=1, reuse=True)
    match = g.play_match(BOXES, (search.player(40), search.player(40)), games=6, seed=2)
    others = g.Search(BOXES, threads=1, reuse=True), g.Search(BOXES, threads=1, reuse=True)
    assert match.digest == g.play_match(BOXES, (others[0].player(40), others[1].player(40)), games=6, seed=2).digest


def test_players_without_playouts():
    pair = (g.players.Minimax(depth=3), g.players.AlphaBeta(leaves=200))
    assert g.play_match(BOXES, pair, games=4, seed=1).games == 4


def test_an_external_engine(tmp_path):
    """It plays, its matches have no digest, what it says on stderr is kept, and it is gone afterwards."""
    command = f"{sys.executable} -I {FAKE} good"
    game = g.make("dots_and_boxes")
    match = g.play_match(game, (g.players.Gtp(command), RANDOM), games=3, seed=1, folder=tmp_path, threads=1)
    assert match.games == 3 and match.digest is None
    assert json.loads((tmp_path / "identity.json").read_text())["player"]["command"] == command
    with pytest.raises(
        g.BadInput, match="^players.Gtp: command='nothing-of-the-kind': nothing-of-the-kind cannot be st"
    ):
        g.play_match(game, (g.players.Gtp("nothing-of-the-kind"), RANDOM), games=3, seed=1)


class Own:
    """A player of a user's own, who gives an identity and builds a player as it is told."""

    def __init__(self, identity=None, built=None):
        self._identity, self._built = identity or {"player": {"name": "own"}}, built

    def identity(self):
        return self._identity

    def build(self, context, folder):
        return self._built


class Weighted(NamedTuple):
    """A player of a user's own with a field of a type that nobody else knows."""

    weights: np.ndarray

    def identity(self):
        return {"player": {"name": "weighted"}}

    def build(self, context, folder):
        return RandomPlayer(context.game)


class Unsure(Own):
    def build(self, folder):
        return RANDOM


class Nameless:
    def build(self, context, folder):
        return RANDOM


def test_a_line_that_another_process_is_writing_is_no_record(tmp_path, monkeypatch):
    """A run that extends the match may begin as soon as this one has freed the folder."""

    def freed(folder, games):
        with (tmp_path / "games.jsonl").open("a") as file:
            file.write('{"game": 3, "fi')
        return records(folder, games)

    records = api_match._records
    monkeypatch.setattr(api_match, "_records", freed)
    match = g.play_match(BOXES, (RANDOM, RANDOM), games=3, seed=1, folder=tmp_path)
    assert [record["game"] for record in match.records] == [0, 1, 2]


def test_fields_of_a_player_of_ones_own_are_of_any_type():
    match = g.play_match(BOXES, (Weighted(np.eye(2)), RANDOM), games=4, seed=1)
    assert match.digest == g.play_match(BOXES, (RANDOM, RANDOM), games=4, seed=1).digest


REFUSED = {
    r"players: Own.identity\(\) returns 3; must be a dict of JSON values, as {\"player\": ": lambda: g.play_match(
        BOXES, (Own(identity=3), RANDOM)
    ),
    r"players: Own.identity\(\): must be a dict of JSON values: .* int64 is not JSON ": lambda: g.play_match(
        BOXES, (RANDOM, Own(identity={"player": {"name": "own", "depth": np.int64(3)}}))
    ),
    r"players: Own.build\(context, folder\) returns 3; must be a gpumcts.players.contract.Player, which has name, ": (
        lambda: g.play_match(BOXES, (Own(built=3), RANDOM))
    ),
    r"players: Own.build\(context, folder\) returns Random\(\); must be .* remembers, .* seconds, choose, forget$": (
        lambda: g.play_match(BOXES, (Own(built=RANDOM), RANDOM))
    ),
    r"players: Unsure has no method build\(context, folder\), which every player has$": lambda: g.play_match(
        BOXES, (Unsure(), RANDOM)
    ),
    r"players: Nameless has no method identity\(\), which every player has$": lambda: g.play_match(
        BOXES,
        (Nameless(), RANDOM),  # type: ignore[arg-type]
    ),
    "players: must be two": lambda: g.play_match(BOXES, (RANDOM,)),  # type: ignore[arg-type]
    r"players: Random is a class, not a player; call it, as Random\(...\)$": lambda: g.play_match(
        BOXES,
        (g.players.Random, RANDOM),  # type: ignore[arg-type]
    ),
    r"players: a Search is no player by itself; call .player\(iterations=...\) of it$": lambda: g.play_match(
        BOXES,
        (g.Search(BOXES), RANDOM),  # type: ignore[arg-type]
    ),
    "players: 3 is no player; take search.player": lambda: g.play_match(BOXES, (3, RANDOM)),  # type: ignore[arg-type]
    "elo0=10, elo1=0: elo0 must be below elo1, both in ": lambda: _won().sprt(10, 0),
    "elo0='a': must be a finite number": lambda: _won().sprt("a", 1),
    r"elo0=array\(\[0, 1\]\): must be a finite number": lambda: _won().sprt(np.array([0, 1]), 10),
    r"elo1=10{196}\.\.\.: must be a finite number": lambda: _won().sprt(0, 10**400),
    "elo0=np.True_: must be a finite number": lambda: _won().sprt(np.True_, 1),  # type: ignore[arg-type]
    "alpha=nan: must be a finite number": lambda: _won().sprt(0, 10, alpha=float("nan")),
    r"sprt=\[10,0\]: elo0 must be below elo1, both in ": lambda: g.play_match(BOXES, (RANDOM, RANDOM), sprt=(10, 0)),
    r"sprt={0: 5, 10: 5}: must be two Elo differences, as \(0, 10\)$": lambda: g.play_match(
        BOXES,
        (RANDOM, RANDOM),
        sprt={0: 5, 10: 5},  # type: ignore[arg-type]
    ),
    r"sprt=\{5\}: must be two Elo differences, as ": lambda: g.play_match(BOXES, (RANDOM, RANDOM), sprt={5}),  # type: ignore[arg-type]
    "alpha=0.5, beta=0.05: alpha and beta must be above 0 and below 0.5": lambda: _won().sprt(0, 10, alpha=0.5),
    r"players.Minimax.depth=0: must be an integer in \[1, ": lambda: g.play_match(
        BOXES, (g.players.Minimax(depth=0), RANDOM)
    ),
    r"players.Pvs.table_mb=1048576: tables of 2 threads, 2,097,152 MiB, do not fit into .* MiB \(of what is free\); ": (
        lambda: g.play_match(BOXES, (g.players.Pvs(depth=2, table_mb=1_048_576), RANDOM), threads=2)
    ),
    "players.Pvs.table_mb=16 and players.Minimax.table_mb=9: tables of 3 threads, 75 MiB, .* 64 MiB .memory_gb": (
        lambda: g.play_match(
            BOXES, (g.players.Pvs(depth=2), g.players.Minimax(2, table_mb=9)), threads=3, memory_gb=1 / 16
        )
    ),
    "players.Pvs: takes nodes or depth, one of them": lambda: g.play_match(BOXES, (g.players.Pvs(), RANDOM)),
    "players.Uci.options.UCI_Chess960=true: castling is told as in chess": lambda: g.play_match(
        g.make("chess"), (g.players.Uci("nope", {"UCI_Chess960": "true"}, depth=1), RANDOM)
    ),
    "players.Gtp.patience=5: must be above players.Gtp.seconds=10": lambda: g.play_match(
        BOXES, (g.players.Gtp("nope", seconds=10, patience=5), RANDOM)
    ),
    "players.Gtp.command and players.Gtp.setup: each command is one line": lambda: g.play_match(
        BOXES, (g.players.Gtp("nope", setup=["boardsize 9\nkomi 7"]), RANDOM)
    ),
    "players.Uci takes one limit a move of players.Uci.depth, players.Uci.nodes": lambda: g.play_match(
        BOXES, (g.players.Uci("nope"), RANDOM)
    ),
    r"players.Uct.settings=\{\}: must be a gpumcts.tree.settings.Settings": lambda: g.play_match(
        BOXES, (g.players.Uct(settings={}), RANDOM)
    ),
    "players.Uct.origin=3: must be None; search.player": lambda: g.play_match(BOXES, (g.players.Uct(origin=3), RANDOM)),
    "iterations=1: must be more than 1, or no move is tried at all$": lambda: g.play_match(
        BOXES, (g.players.Uct(iterations=1), RANDOM)
    ),
    "iterations=1073741824: with playouts_per_leaf=4 a tree would have 4,294,967,296 visits": lambda: g.play_match(
        BOXES, (g.players.MonteCarlo(iterations=2**30, playouts_per_leaf=4), RANDOM)
    ),
    "player=minimax: in DiceDuel chance moves": lambda: g.play_match("dice_duel", (g.players.Minimax(depth=2), RANDOM)),
    "player=pvs: in DiceDuel chance moves": lambda: g.play_match("dice_duel", (g.players.Pvs(depth=2), RANDOM)),
    "folder=3: must be a path, or None": lambda: g.play_match(BOXES, (RANDOM, RANDOM), folder=3),  # type: ignore[arg-type]
    r"folder='a\\x00b': must be a path": lambda: g.play_match(BOXES, (RANDOM, RANDOM), folder="a\0b"),
    "folder=.too many digits to show.: must be": lambda: g.play_match(BOXES, (RANDOM, RANDOM), folder=10**5000),  # type: ignore[arg-type]
    "players: .too many digits to show. is no player": lambda: g.play_match(BOXES, (RANDOM, 10**5000)),  # type: ignore[arg-type]
    r"players.Uct.settings=array.*: must be": lambda: g.play_match(BOXES, (g.players.Uct(settings=np.eye(3)), RANDOM)),
    r"players.Gtp: command='a\\x00b': a b cannot be started: embedded null byte": lambda: g.play_match(
        BOXES, (g.players.Gtp("a\0b"), RANDOM)
    ),
    "players.Gtp: command='': name a program$": lambda: g.play_match(BOXES, (g.players.Gtp(""), RANDOM)),
    "folder='': must be a path": lambda: g.play_match(BOXES, (RANDOM, RANDOM), folder=""),
    "playout=nope is not known": lambda: g.play_match(BOXES, (g.players.MonteCarlo(playout="nope"), RANDOM)),
    "search.threshold=2: counts with": lambda: g.play_match(
        BOXES, (g.players.Uct(settings=g.Search(BOXES).settings._replace(threshold=2)), RANDOM)
    ),
    r"players: a Search of DotsAndBoxes\(rows=1, columns=2\) does not play Othello": lambda: g.play_match(
        "othello", (g.Search(BOXES).player(10), RANDOM)
    ),
    "game=Sailing is for one player": lambda: g.play_match("sailing", (RANDOM, RANDOM)),
    r"games=0: must be an integer in \[1, ": lambda: g.play_match(BOXES, (RANDOM, RANDOM), games=0),
    "engine='gpu': must be one of auto, cpu": lambda: g.play_match(BOXES, (RANDOM, RANDOM), engine="gpu"),
}


def test_a_frame_has_what_a_late_game_alone_tells():
    played = [{"game": number, "score": 1.0, "plies": 3} for number in range(200)]
    records = [*played, {"game": 200, "score": -1.0, "plies": 2, "ended": "resigned", "reason": ""}]
    frame = g.Match(201, 200, 0, 1, None, 1.0, records).to_frame()
    assert frame["ended"].to_list() == [None] * 200 + ["resigned"]


def test_a_sequential_test_takes_any_real_numbers():
    assert _won().sprt(Decimal("0"), Decimal("10.5"), Fraction(1, 20)) == _won().sprt(0, 10.5, 0.05)


def test_a_match_ends_once_its_test_has_decided(tmp_path):
    """Its games are those before the decision, as are those of a match of so many games."""
    ended = g.play_match(BOXES, (g.players.Minimax(depth=2), RANDOM), games=400, seed=1, folder=tmp_path, sprt=(0, 300))
    assert ended.sprt(0, 300).decision == "H1" and ended.games == len(ended.records) < 100
    plain = g.play_match(BOXES, (g.players.Minimax(depth=2), RANDOM), games=ended.games, seed=1)
    assert (plain.digest, plain.records) == (ended.digest, ended.records) and ended.digest is not None
    assert plain.sprt(0, 300) == ended.sprt(0, 300)


def _won():
    records = [{"moves": "a1b1 " * 100}] * 4
    return g.Match(games=4, wins=3, draws=1, losses=0, digest="ab" * 32, seconds=1.0, records=records)


def test_a_match_is_shown_without_its_games():
    assert len({_won(), _won()}) == 1
    assert repr(_won()) == "Match(4 games, 3 won, 1 drawn, 0 lost, win rate 0.875, digest abababababab)"
    nothing = g.Match(games=0, wins=0, draws=0, losses=0, digest=None, seconds=0.0, records=[])
    assert repr(nothing).endswith("win rate nan, digest None)")


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_wrong_is_one_line(message):
    with pytest.raises(g.BadInput, match=f"^{message}") as caught:
        REFUSED[message]()
    assert "\n" not in str(caught.value)
