"""Conformance checks of a user's own playout policy on a game.

It is asked before anything is compiled: what the class says, the moves it chooses in plain Python, and the types of
each body alone.
"""

import time
from typing import Any

import numpy as np
from numba import typeof, types

from gpumcts.errors import BadInput
from gpumcts.games import contract as games
from gpumcts.games.conformance.bodies import Bodies, no_int64
from gpumcts.games.conformance.typed_bodies import parts_of
from gpumcts.games.contract import CHANCE
from gpumcts.playouts import contract
from gpumcts.playouts.traces import trace_words
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import PLY_STEP, key_of

GAMES, MAX_PLIES = 3, 40
SECONDS = 0.5  # of playing in plain Python; the first choice is always looked at
SEED = 67
WHOLE = ("choose", "cut", "value_at_cut")
PLAYOUTS = ("whole_playout", "traced_playout")


def check_class(policy: Any) -> None:
    """Raises BadInput, one line with file and line, where the class of a policy is not complete, whatever the game."""
    asked = Bodies.of(policy, contract)
    asked.yes_or_no("LANES")
    if asked.body("cut") is contract.cut_of_field and not hasattr(policy, "truncate"):
        raise BadInput(f"{asked.where}: {asked.name} has no field truncate, which every policy has: 0 never cuts")


def check_policy(policy: Any, game: Any) -> None:
    """Raises BadInput, one line with file and line, where a policy (as it travels) does not play a game well."""
    asked = Bodies.of(policy, contract, type(game))
    with np.errstate(all="ignore"):
        start = games.start(game)
        _play(asked, game)
    given = _types_of(policy, game, start)
    for verb in WHOLE:
        one = asked if verb != "cut" else asked._replace(classes=(type(policy),))
        for each in one.typed((verb,)):
            found = one.type_of(each, given)
            if not isinstance(found, types.Integer):
                one.refuse(each, f"returns {found}, not int64: wrap it, np.int64(...)")
    _check_playouts(asked, given)


def check_playouts(game: Any) -> None:
    """Raises BadInput, one line with file and line, where uniform playouts of a game's own are none.

    Their types are looked at, and a few in plain Python: a score and plies that there can be.
    """
    policy = Uniform()
    asked = Bodies.of(policy, contract, type(game))
    if not (own := asked.own(PLAYOUTS)):
        return
    with np.errstate(all="ignore"):
        start = games.start(game)
        _check_playouts(asked, _types_of(policy, game, start))
        for verb in own:
            trace = [np.zeros(trace_words(game), np.uint64)] if verb == "traced_playout" else []
            for number in range(GAMES):
                result, plies = asked.ask(verb, policy, game, start, key_of(SEED, number), *trace)
                if abs(int(result)) > games.SCORE_UNIT:
                    asked.refuse(verb, f"returns a score of {result}, outside [-SCORE_UNIT, SCORE_UNIT]")
                if not 0 <= int(plies) <= game.MAX_PLIES:
                    asked.refuse(verb, f"returns {plies} plies from the start: 0 to MAX_PLIES, {game.MAX_PLIES}")


def _types_of(policy: Any, game: Any, state: Any) -> dict[str, Any]:
    """The numba types of the arguments of a policy's verbs, by name."""
    return {
        "policy": typeof(policy),
        "game": typeof(game),
        "state": typeof(state),
        **dict.fromkeys(("stream", "key"), types.uint64),
        "trace": typeof(np.zeros(2, np.uint64)),
    }


def _check_playouts(asked: Bodies, given: dict[str, Any]) -> None:
    """Refuse whole playouts that do not compile, or return something else than two numbers."""
    for verb in asked.typed(PLAYOUTS):
        found = asked.type_of(verb, given)
        whole = [one for one in parts_of(found) if isinstance(one, types.Integer)]
        if len(whole) != 2 or len(parts_of(found)) != 2:
            asked.refuse(verb, f"returns {found}, not the score and the plies, int64 both")


def _play(asked: Bodies, game: Any) -> None:
    """Some plies of games by the policy, each of whose moves must be a legal one."""
    end = time.monotonic() + SECONDS
    for number in range(GAMES):
        state, stream = games.start(game), key_of(SEED, number)
        for ply in range(MAX_PLIES):
            count = int(games.count_moves(game, state))
            if count == 0 or (time.monotonic() > end and number + ply > 0):
                break
            if games.mover(game, state) == CHANCE:
                move = games.chance_move(game, state, stream)
            else:
                move = asked.ask_twice("choose", asked.value, game, state, stream)
                _check_move(asked, game, state, count, move)
            state = games.play(game, state, np.int64(move))
            stream += PLY_STEP


def _check_move(asked: Bodies, game: Any, state: Any, count: int, move: Any) -> None:
    if isinstance(move, bool) or not isinstance(move, int | np.integer):
        asked.refuse("choose", no_int64(move))
    if not any(int(games.nth_move(game, state, np.int64(k))) == int(move) for k in range(count)):
        asked.refuse("choose", f"returns {move}, which is not a legal move there")
