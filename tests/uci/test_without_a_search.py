"""What our engine answers before its search is made, and where it cannot be."""

import threading

import pytest

from gpumcts.errors import BadInput
from gpumcts.programs.clock import Limits
from gpumcts.uci.engine import UciEngine
from tests.uci.drivers import FIRST, OTHELLO, moves, talk


def test_quit_does_not_wait_for_the_search_to_be_made(engine):
    never = threading.Event()
    fresh = engine(search=lambda: never.wait(60))
    assert talk(fresh, "isready", "quit") == [] and fresh.compiling
    never.set()


@pytest.mark.parametrize("go", ["go nodes 200", "go searchmoves zz9 e6"])
def test_quit_before_the_search_is_made_finds_a_legal_move(engine, go):
    """As from a pipe that holds ``quit`` already, and another ``go``: ``(none)`` is for games that are over."""
    never = threading.Event()
    lines = talk(engine(search=lambda: never.wait(60)), "position startpos", go, "go nodes 9", "quit")
    never.set()
    first, second = moves(lines)
    assert {first, second} <= FIRST and (first == "e6" or "e6" not in go)
    assert [line for line in lines if "no search" in line] == [
        f"info string {move} is a legal move that no search has chosen" for move in (first, second)
    ]


def test_a_search_that_cannot_be_made_is_told():
    def search():
        raise BadInput("memory_gb=0.001: a tree takes more")

    fresh = UciEngine(OTHELLO, search, Limits(20, None))
    told = "info string memory_gb=0.001: a tree takes more"
    *lines, unsearched, best = talk(fresh, "isready", "go")
    assert lines == [told, "readyok", told] and moves([best])[0] in FIRST
    assert unsearched == f"info string {moves([best])[0]} is a legal move that no search has chosen"
    fresh.close()
