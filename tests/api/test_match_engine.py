"""``engine=auto`` of a match from Python: the CPU, without a look at a device, where no search is faster elsewhere."""

import pytest

import gpumcts as g
from gpumcts.api import match
from gpumcts.api.match_engine import on_its_engine
from gpumcts.players.construction import PlayerContext
from gpumcts.players.descriptions import Origin
from gpumcts.tree.settings import Settings
from tests.kernels.shown_device import shown_device

BOXES = g.make("dots_and_boxes", rows=1, columns=2)
OTHELLO = g.make("othello")


@pytest.fixture
def tried(monkeypatch):
    """A machine that shows a device which works; what was asked of it."""
    return shown_device(monkeypatch)


@pytest.fixture
def at_once(monkeypatch):
    """What matches are told of the batches that go on together, in order."""
    told = []
    play = match.runner.play_match

    def played(*args, **named):
        told.append(named["at_once"])
        return play(*args, **named)

    monkeypatch.setattr(match.runner, "play_match", played)
    return told


def searching(game, engine="auto", settings=Settings()):
    """What ``Search.player`` gives, without a search that compiles."""
    return g.players.Uct(4, settings=settings, origin=Origin(game, engine, 1, None))


@pytest.mark.parametrize(
    "pair",
    [
        lambda: (g.players.Random(), g.players.Minimax(depth=1)),
        lambda: (g.players.MonteCarlo(4), g.players.Random()),
        lambda: (searching(BOXES), g.players.Random()),
        lambda: (searching(BOXES, "cpu"), g.players.Uct(4)),
    ],
)
def test_a_match_that_stays_on_the_cpu_tries_no_device(pair, tried, at_once):
    """Both sides search at the same time there, as where there is no device."""
    g.play_match(BOXES, pair(), games=2, seed=1, threads=1)
    assert at_once == [2] and not tried


class Own:
    """A player of one's own, whose searches nobody knows."""

    def identity(self):
        return {"player": {"name": "own"}}

    def build(self, context, folder):
        return g.players.Random().build(context, folder)


def test_a_player_of_ones_own_has_the_engine_that_was_asked_for(tried, at_once):
    g.play_match(BOXES, (Own(), g.players.Random()), games=2, seed=1, threads=1)
    assert at_once == [0] and tried


@pytest.mark.parametrize(
    ("player", "trees", "asked", "engine"),
    [
        (g.players.Uct(), 20, "auto", "cpu"),
        (g.players.Uct(), 50_000, "auto", "auto"),
        (g.players.Uct(), 20, "cuda", "cuda"),
        (g.players.MonteCarlo(playouts_per_leaf=1024), 20, "auto", "auto"),
        (searching(OTHELLO), 20, "cuda", "cpu"),
        (searching(OTHELLO, settings=Settings(roots=1000)), 20, "cpu", "auto"),
        (g.players.Random(), 50_000, "auto", "cpu"),
        (g.players.Random(), 20, "cuda", "cuda"),
    ],
)
def test_engines_of_players(player, trees, asked, engine, tried):
    """That of a ``Search`` is its own, whatever the match was asked for; it is built with what was found."""
    same, context = on_its_engine(player, PlayerContext(OTHELLO, engine=asked, threads=1), trees)
    built_with = getattr(getattr(same, "origin", None), "engine", context.engine)
    assert context.engine == built_with == engine and not tried
    assert same.identity() == player.identity()
