"""Instances of synthetic trees: the key that every number of a tree is drawn under, and packed roots of many instances.

A synthetic tree stores nothing. The key of its instance stands in a word of the state, and what belongs to a node is
drawn from the stream ``key + node * PLY_STEP``; so trees of many instances advance together in one forest.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.extending import overload

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.jit import inlined
from gpumcts.options import compiled
from gpumcts.rng import CHILD_MASK, CHILD_STEP, child_key, mix
from gpumcts.verbs import JIT_OPTIONS

U = np.uint64
MOST = (1 << 63) - 1
"""The greatest number of an instance: options travel as int64."""
PLIES = U(0x7F)
"""The bits of the word ``progress`` of a state in which its plies are counted; flags may stand above them."""
_WORD = 1 << 64
_JIT: Any = JIT_OPTIONS


@inlined
def _key(kind, shape, instance):
    return child_key(child_key(U(kind), U(shape)), U(instance))


def instance_key(kind, shape, instance):
    """The key (uint64) of an instance: ``kind`` (uint64) sets games apart, ``shape`` (uint64) the trees of one game.

    Compiled code gets ``_key`` in its place; plain Python would be warned of overflowing products, which are meant.
    """
    with np.errstate(over="ignore"):
        return _key(kind, shape, instance)


overload(instance_key, strict=False, jit_options=_JIT)(lambda kind, shape, instance: _key)


def instance_of(kind: Any, shape: Any, key: Any) -> int:
    """The number whose ``instance_key`` is ``key``, below 2^64: numbers and keys correspond one to one. For texts."""
    with np.errstate(over="ignore"):
        begin = int(mix(child_key(U(kind), U(shape)) ^ CHILD_MASK))
    return ((_unmix(int(key)) - begin) * pow(int(CHILD_STEP), -1, _WORD) - 1) % _WORD


def _unmix(z: int) -> int:
    """The word that ``rng.mix`` makes into ``z``: its steps backwards."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        z ^= (z >> shift) ^ (z >> 2 * shift)  # undoes z ^ (z >> shift), since three shifts leave nothing
        z = z * pow(factor, -1, _WORD) % _WORD
    return z


@inlined
def goes_on(game, state):
    """1 (uint64) before ``game.depth`` plies are played, 0 where the game is over."""
    return U((state.progress & PLIES) != U(game.depth))


@inlined
def flag(state, bit):
    """A flag in ``progress``, 0 or 1 (uint64)."""
    return (state.progress >> U(bit)) & U(1)


def nodes(branching: int, depth: int) -> int:
    """Number of nodes of a uniform tree, its root included."""
    return depth + 1 if branching == 1 else (branching ** (depth + 1) - 1) // (branching - 1)


def check_nodes(branching: int, depth: int) -> None:
    """Raises BadInput where the nodes of a uniform tree are too many for indices of 64 bits."""
    if nodes(branching, depth) > _WORD:
        deepest = next(d for d in range(63, 0, -1) if nodes(branching, d) <= _WORD)
        raise BadInput(
            f"game.depth={depth}: with game.branching={branching} must be at most {deepest}, "
            "since indices of nodes have 64 bits"
        )


def instances(game: Any, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
    """The packed roots of instances ``numbers`` of a synthetic tree, uint64[K, W].

    Works for every game whose class has a field ``instance``; the others of its fields are those of ``game``.
    Raises BadInput where it has none, and where a number is not one of 0 to 2^63 - 1.
    """
    game = compiled(game)
    if "instance" not in getattr(game, "_fields", ()):
        raise BadInput(f"game: {title(game)} has no instances; synthetic trees have, such as pgame")
    listed = [int(number) for number in numbers]
    if listed and not 0 <= min(listed) <= max(listed) <= MOST:
        raise BadInput(f"game.instance: numbers of instances are 0 to {MOST}")
    roots = {number: contract.start(game._replace(instance=number)) for number in set(listed)}
    words = np.zeros((len(listed), game.WORDS), np.uint64)
    for row, number in enumerate(listed):
        contract.pack(game, roots[number], words[row], 0, 1)
    return words


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST))


def path_of(text: str, depth: int, branching: int) -> list[int]:
    """The moves of a path as texts have it, ``0.2.1`` (``-`` for none), each below ``branching``.

    Raises BadInput where it is no path of at most ``depth`` such moves.
    """
    moves = [] if text == "-" else text.split(".")
    plain = all(_is_number(move) and int(move) < branching for move in moves)
    if not plain or len(moves) > depth:
        raise BadInput(f"position: a path is -, or 1 to {depth} moves of 0 to {branching - 1}, such as 0.1.1")
    return [int(move) for move in moves]


def parsed(game: Any, text: str) -> Any:
    """The state that ``instance path`` names, such as ``7 0.1.1``; the path is that of ``path_of``.

    Raises BadInput where the text names none.
    """
    parts = text.split()
    if len(parts) != 2 or not _is_number(parts[0]) or int(parts[0]) > MOST:
        raise BadInput("position: a synthetic tree takes the number of the instance and the path, such as '7 0.1.1'")
    state = contract.start(game._replace(instance=int(parts[0])))
    with np.errstate(over="ignore"):
        for move in path_of(parts[1], game.MAX_PLIES, game.MAX_MOVES):
            state = contract.play(game, state, move)
    return state
