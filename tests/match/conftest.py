"""What the tests of matches share: a short way to play one between random movers."""

import json
import os
from pathlib import Path

import pytest

from gpumcts.games.othello import Othello
from gpumcts.match.runner import play_match
from gpumcts.players.random import RandomPlayer

OTHELLO = Othello()


@pytest.fixture(autouse=True)
def synced(monkeypatch):
    """No test waits for the disk; the inodes of the files that were to be synced, in order."""
    inodes = []
    monkeypatch.setattr(os, "fsync", lambda handle: inodes.append(os.fstat(handle).st_ino))
    return inodes


@pytest.fixture(scope="session")
def play():
    """``play(folder, games, ...)``: a match between two random movers, Othello and seed 7 unless told."""

    def play_random(folder, games=6, game=OTHELLO, seed=7, identity=None, players=None, **options):
        players = players or (RandomPlayer(game, "a"), RandomPlayer(game, "b"))
        return play_match(game, players, games, seed, folder, identity or {"player": "random"}, **options)

    return play_random


@pytest.fixture(scope="session")
def games_of():
    """``games_of(folder)``: the finished games there, by number, as dictionaries."""

    def read(folder: Path) -> dict[int, dict]:
        records = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
        assert len({record["game"] for record in records}) == len(records)
        return {record["game"]: record for record in records}

    return read
