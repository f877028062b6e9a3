"""OpenSpiel's C++: random rollouts, and its MCTS."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from benchmarks.measure import Contender

GAMES: dict[str, Callable[[Any], str]] = {
    "amazons": lambda game: f"amazons(board_size={game.size})",
    "go": lambda game: f"go(board_size={game.size},komi={game.komi})",
    "chess": lambda game: "chess",
    "othello": lambda game: "othello",
    "connect_four": lambda game: "connect_four",
    "gomoku": lambda game: f"gomoku(size={game.size})",
    "clobber": lambda game: f"clobber(rows={game.rows},columns={game.columns})",
    "havannah": lambda game: f"havannah(board_size={game.base},swap={game.swap})",
    "dots_and_boxes": lambda game: f"dots_and_boxes(num_rows={game.rows},num_cols={game.columns})",
}
"""Our games by their names there, from the option value; where a game has none, ours is measured alone."""

UNITS = 3000  # playouts, or iterations, a turn
EXPLORATION, MEGABYTES, SEED = 1.4, 1000, 1


def rollouts(game: Any, name: str) -> AbstractContextManager[Contender] | None:
    """``RandomRolloutEvaluator`` from the start: one search iteration of ``MCTSBot`` with n rollouts, all in C++."""
    return _contender("OpenSpiel C++ rollouts", game, name, lambda n: (n, 1))


def search(game: Any, name: str) -> AbstractContextManager[Contender] | None:
    """``MCTSBot``, one rollout a leaf, from the start."""
    return _contender("OpenSpiel C++ MCTSBot", game, name, lambda n: (1, n))


def _contender(
    what: str, game: Any, name: str, of: Callable[[int], tuple[int, int]]
) -> AbstractContextManager[Contender] | None:
    """``of`` tells the rollouts of a leaf and the simulations that n units of work are."""
    if name not in GAMES:
        return None
    import pyspiel

    loaded = pyspiel.load_game(GAMES[name](game))

    def run(n: int) -> None:
        rollouts, simulations = of(n)
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, SEED)
        bot = pyspiel.MCTSBot(loaded, evaluator, EXPLORATION, simulations, MEGABYTES, False, SEED, False)
        bot.step(loaded.new_initial_state())

    return nullcontext(Contender(what, run, UNITS))
