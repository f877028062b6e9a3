"""The counter-based generator: every draw is addressed by a key, never by how many draws went before.

A *key* is a 64-bit word. ``child_key`` derives the keys of a path (seed, game, ply of the game, leaf, playout);
``draw`` and ``bits`` read number j of ply p of a playout. Both are the SplitMix64 finaliser (Steele, Lea, Flood 2014;
constants of Stafford's variant 13) over ``key + counter * odd``, a bijection of the counter, so that two draws under
one key never share their input. Children go through two rounds and another odd constant, so that keys and draws do not
meet.

Counters: ply in the low 16 bits, the number of the draw within the ply above them.
"""

import numpy as np

from gpumcts.verbs import inlined

U = np.uint64

PLY_STEP = U(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: what one ply adds to a stream
DRAW_STEP = U((0x9E3779B97F4A7C15 << 16) % 2**64)  # what one more draw within a ply adds
CHILD_STEP = U(0xD1342543DE82EF95)
CHILD_MASK = U(0xA0761D6478BD642F)
PLIES_PER_KEY = 1 << 16  # a playout under one key may be this long before its counters meet those of the next draw

# Purposes below a search's key, so that ties, chance in the tree and playouts never share a stream.
PLAYOUT_STREAM, TIE_STREAM, CHANCE_STREAM, FINAL_STREAM, TREE_STREAM = U(0), U(1), U(2), U(3), U(4)


@inlined
def mix(z):
    """SplitMix64's finaliser: a bijection of uint64 whose outputs of consecutive inputs pass for random."""
    z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return z ^ (z >> U(31))


@inlined
def child_key(key, number):
    """Key number ``number`` (uint64) below ``key`` (uint64)."""
    return child_of(stem(key), number)


@inlined
def stem(key):
    """What all keys below ``key`` (uint64) have in common, for ``child_of``: uint64."""
    return mix(key ^ CHILD_MASK)


@inlined
def child_of(stem, number):
    """Key number ``number`` (uint64) below the key that has this ``stem``."""
    return mix(stem + (U(number) + U(1)) * CHILD_STEP)


@inlined
def bits(stream, j):
    """64 random bits: draw j of the ply whose stream this is (``key + ply * PLY_STEP``)."""
    return mix(stream + U(j) * DRAW_STEP)


@inlined
def draw(stream, j, n):
    """A number in [0, n) as uint64, n <= 2^32: the high half of 32 random bits times n.

    Each value has floor or ceil(2^32 / n) of the 2^32 inputs, so its probability is off by less than 2^-32. No
    division, and 32-bit products only, which vector units have.
    """
    return ((bits(stream, j) >> U(32)) * U(n)) >> U(32)


def key_of(seed: int, *path: int) -> np.uint64:
    """The key at ``path`` below ``seed`` (both non-negative integers below 2^64), in plain Python."""
    with np.errstate(over="ignore"):
        key = mix(U(seed) + PLY_STEP)
        for number in path:
            key = child_key(key, U(number))
    return U(key)
