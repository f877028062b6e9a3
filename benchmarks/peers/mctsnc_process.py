"""``python -P mctsnc_process.py CHECKOUT GAME``: reads numbers of playouts, has MCTS-NC make them, answers its counts.

CHECKOUT is a copy of MCTS-NC's repository (Klesk 2024, github.com/pklesk/mcts_numba_cuda), whose modules lie in
``src``. It has the rules of one game at a time in ``mctsnc_game_mechanics``, by its author's choice of five functions;
they are chosen here before the search is imported. The search has its own defaults: 8 trees, 128 playouts a child,
``acp_prodigal``.
"""

import contextlib
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

GAMES = {"connect_four": ("c4", "C4", "c4"), "gomoku": ("gomoku", "Gomoku", "gomoku")}
"""Our games by name: the module and the class of their states there, and how the names of their functions end."""
CHOSEN = ("is_action_legal", "take_action", "legal_actions_playout", "take_action_playout", "compute_outcome")
DESCRIBED = "8 trees, 128 playouts a child, acp_prodigal"


def searching(checkout: Path, name: str) -> tuple[Any, Any]:
    """A search of theirs, with its memory on the device, and the start of the game."""
    sys.path.insert(0, str(checkout / "src"))
    mechanics = import_module("mctsnc_game_mechanics")
    module, kind, ending = GAMES[name]
    for function in CHOSEN:
        setattr(mechanics, function, getattr(mechanics, f"{function}_{ending}"))
    theirs, game = import_module("mctsnc"), getattr(import_module(module), kind)
    shape, extra, actions = game.get_board_shape(), game.get_extra_info_memory(), game.get_max_actions()
    search = theirs.MCTSNC(shape, extra, actions, search_time_limit=math.inf)
    search.init_device_side_arrays()
    return search, game()


def searched(search: Any, start: Any, playouts: int) -> int:
    """Search from the start until so many playouts are made; how many there were, by its own count.

    A step makes up to ``trees * actions * playouts`` of them. A search ends after steps, so shorter ones follow it.
    """
    most = search.n_trees * search.state_max_actions * search.n_playouts
    done = 0
    while done < playouts:
        search.search_steps_limit = float(max(1, (playouts - done) // most))
        search.run(start.get_board(), start.get_extra_info(), start.get_turn())
        done += int(search.performance_info["playouts"])
    return done


def main(checkout: str, name: str) -> None:
    """Answer until there is no more to read; what the search prints goes to stderr."""
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        search, start = searching(Path(checkout), name)
        for line in sys.stdin:
            print(searched(search, start, int(line)), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
