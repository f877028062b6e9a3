"""A ply of a random playout in attempts, for games that draw a move before they know whether it is legal.

An attempt draws a move, or several of which the first that may be made counts (``look``). Two searches, one after the
other, find out whether it may be made (``look_further`` while ``under_way``); some games need none. Then the move is
made or refused (``decide``).

Playouts side by side, in lanes of the CPU or threads of a warp, make their attempts together, wherever each is in its
game. Ply by ply, all would wait for the one that is refused most. Moves and outcomes are those of
``contract.ply_by_ply``.

The verbs have bodies for a policy and a game that can be played so; no body has a branch. Such games have no chance.
"""

from typing import NamedTuple

from gpumcts.verbs import verb


class First(NamedTuple):
    """The search that an attempt makes first. A game that needs one search alone makes this one."""


class Second(NamedTuple):
    """The search that an attempt makes when the first one is over."""


FIRST, SECOND = First(), Second()


@verb("policy", "game")
def look(policy, game, state, refused, stream):
    """The attempt (a NamedTuple) of the next draw of ``stream`` in a game that is not over.

    refused : the moves that were refused at this ply, as ``none_refused`` and ``decide`` give them
    """


@verb("game")
def none_refused(game):
    """``refused`` where a ply begins."""


@verb("search", "game")
def under_way(search, game, attempt):
    """Whether a search of an attempt has more steps to make, once the one before it is over."""


@verb("search", "game")
def look_further(search, game, state, attempt):
    """The attempt one step of a search further. Where the search is not under way, ``decide`` sees no difference."""


@verb("game")
def decide(game, state, refused, attempt):
    """(state, refused, made): what an attempt that is not under way leads to, and whether the move was made (bool)."""


@verb("game")
def attempt_words(game):
    """Words that ``refused`` and an attempt take together, as int64, a constant of the compiled code."""


@verb("game")
def store_refused(game, refused, words, at, stride):
    """Write ``refused`` to its part of ``words[at + i * stride]``; all zeros are ``none_refused``."""


@verb("game")
def load_refused(game, words, at, stride):
    """``refused``, as ``store_refused`` wrote it."""


@verb("game")
def store_attempt(game, attempt, words, at, stride):
    """Write an attempt to its part of ``words[at + i * stride]``."""


@verb("game")
def store_progress(game, attempt, words, at, stride):
    """The same of what ``look_further`` changes."""


@verb("game")
def load_attempt(game, words, at, stride):
    """An attempt, as ``store_attempt`` and ``store_progress`` wrote it."""


def makes_attempts(policy, game):
    """Whether a policy and a game, as they travel into compiled code, can be played so. Plain Python."""
    return look.find(type(policy), type(game)) is not None
