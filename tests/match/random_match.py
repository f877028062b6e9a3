"""A match between random movers in a process of its own, to be killed: ``python random_match.py FOLDER GAMES``."""

import sys
import time
from pathlib import Path

from gpumcts.games.othello import Othello
from gpumcts.match.runner import play_match
from gpumcts.players.random import RandomPlayer

if __name__ == "__main__":
    game = Othello()

    lines = iter(["playing"])

    def linger(progress):
        for line in lines:  # once
            print(line, flush=True)
        time.sleep(0.001)

    players = (RandomPlayer(game), RandomPlayer(game))
    play_match(
        game,
        players,
        games=int(sys.argv[2]),
        seed=7,
        folder=Path(sys.argv[1]),
        identity={"player": "random"},
        games_in_flight=4,
        on_progress=linger,
    )
    print("finished", flush=True)
