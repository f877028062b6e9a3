"""Whether a game keeps the contract, and where it does not: for any game, inside the library or outside.

``check`` asks before anything is compiled: whether the class says what it must and every verb has a body
(``declared``), twenty random games in plain Python (``plain_games``), and the types of each body alone
(``typed_bodies``). Commands and the Python interface ask so of a user's own game, once per version of its source.
``suite`` asks the rest, of compiled code.
"""

import hashlib
import sys
from pathlib import Path
from typing import Any

from gpumcts import cache

_held: set[Any] = set()


def check(game: Any) -> None:
    """Ask a game, as compiled code gets it, before it is compiled. Raises BadInput: one line with file and line."""
    from gpumcts.games.conformance import declared, plain_games, typed_bodies

    declared.check(game)
    plain_games.check(game)
    typed_bodies.check(game)


def check_once(game: Any) -> None:
    """``check``, once for each version of the sources: what held is stamped in the compile cache."""
    key = type(game), game
    if key in _held:
        return
    _held.add(key)  # before it is asked: the asking itself takes the game as compiled
    stamp = _stamp(game)
    if stamp is not None and stamp.exists():
        return
    try:
        check(game)
    except BaseException:
        _held.discard(key)
        raise
    if stamp is not None:
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()


def _stamp(game: Any) -> Path | None:
    """The file that says that a game of these sources held; None where they are in no file, as in a notebook."""
    from gpumcts.games.conformance import places

    kind = type(game)
    if not places.files_of(sys.modules[kind.__module__]):
        return None
    text = f"{kind.__module__}.{kind.__qualname__} {tuple(game)!r} {cache.digest()}"
    return cache.folder() / "checked" / hashlib.sha256(text.encode()).hexdigest()[:20]
