"""What bodies that a game may leave out answer in plain Python, position by position: moves listed and drawn, packing.

Compiled code trusts them: trees play what ``move_after`` gives, searches what ``write_moves`` has written, and a
``pack`` beyond its own words spoils the position beside it. A question is asked where a game has a body of its own.
"""

from typing import Any

import numpy as np

from gpumcts.games.conformance.typed_bodies import has_own
from gpumcts.games.contract import CHANCE

U = np.uint64
STRIDE, AT = 3, 2  # for packing
MOVES_AT, UNWRITTEN = 3, -2  # for lists of moves; no move is UNWRITTEN
FILLERS = U(0x5A5A5A5A5A5A5A5A), U(0xA5A5A5A5A5A5A5A5)
MAX_NOISE = 60_000
MAX_LIMIT = (1 << 40) - 1
"""Of evaluations: a win is worth 2^40 in informed playouts, and they are multiplied by SCORE_UNIT in 64 bits."""


def check_words(asked: Any, state: Any) -> None:
    """Refuse bodies that do not write a state into its own words and into no others, or read others."""
    own = [AT + STRIDE * i for i in range(len(state))]
    for filler in FILLERS:
        words = np.full(AT + STRIDE * (len(state) + 1), filler)
        asked.ask("pack", state, words, AT, STRIDE)
        beside = np.delete(words, own)
        if (beside != filler).any():
            asked.refuse("pack", f"pack writes beyond words[at + i * stride], i from 0 to {len(state) - 1}")
        again = asked.ask("unpack", words, AT, STRIDE)
        asked.check_state("unpack", again)
        if again != state:
            asked.refuse(
                "unpack", f"unpack gives {tuple(map(int, again))} of what pack wrote of {tuple(map(int, state))}"
            )


def check_list(asked: Any, state: Any, count: int, moves: list[int]) -> None:
    """Refuse a list of moves with gaps, in another order, or in another place; ``moves``: the first legal ones."""
    if count == 0 or not has_own(asked.game, "write_moves"):
        return
    out = np.full(MOVES_AT + count + asked.game.MAX_MOVES, UNWRITTEN, np.int64)
    asked.ask("write_moves", state, np.int64(count), out, np.int64(MOVES_AT))
    listed = out[MOVES_AT : MOVES_AT + count].tolist()
    if (out[:MOVES_AT] != UNWRITTEN).any() or (out[MOVES_AT + count :] != UNWRITTEN).any():
        asked.refuse("write_moves", f"write_moves writes beyond out[at : at + count], count being {count} there")
    if UNWRITTEN in listed:
        asked.refuse("write_moves", f"write_moves leaves out move number {listed.index(UNWRITTEN)} of {count}")
    if listed[: len(moves)] != moves:
        k = next(k for k, move in enumerate(moves) if listed[k] != move)
        asked.refuse("write_moves", f"write_moves gives {listed[k]} as number {k}, nth_move gives {moves[k]}")


def check_draws(asked: Any, state: Any, moves: list[int]) -> None:
    """Refuse stages that draw no legal move, and weights that none can be drawn by; ``moves``: all legal ones."""
    by_chance = asked.whole("mover", state) == CHANCE
    if not by_chance and has_own(asked.game, "staged_move"):
        drawn = asked.whole("staged_move", state, asked.stream)
        if drawn not in moves:
            asked.refuse("staged_move", f"staged_move gives {drawn}, which is not legal there: {moves}")
    verb = "chance_weight" if by_chance else "move_weight"
    if not has_own(asked.game, verb):
        return
    weights = [asked.whole(verb, state, np.int64(move)) for move in moves]
    if min(weights) < by_chance:
        at = weights.index(min(weights))
        asked.refuse(verb, f"{verb} of move {moves[at]} is {weights[at]}: at least {int(by_chance)}")
    if not any(weights):
        asked.refuse(verb, f"{verb} is 0 for all moves of a position: {moves}")


def check_knowledge(asked: Any, state: Any, moves: list[int]) -> None:
    """Refuse what searches cannot take for noise, or for a proof, in a position that is not over."""
    if has_own(asked.game, "noisy"):
        for move in moves:
            noise = asked.whole("noisy", state, np.int64(move))
            if not 0 <= noise <= MAX_NOISE:
                asked.refuse("noisy", f"noisy returns {noise} for move {move}: 0 to {MAX_NOISE}")
    if has_own(asked.game, "decided") and (known := asked.whole("decided", state)) not in (-1, 0, 1):
        asked.refuse("decided", f"decided returns {known}: 1, -1, or 0 where it is not known")
