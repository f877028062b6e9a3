"""Conformance checks of any game, inside the library or outside: whether it keeps the contract, and where it does not.

``check`` asks before anything is compiled: whether the class says what it must and every verb has a body
(``declared``), twenty random games in plain Python (``plain_games``), the types of each body alone (``typed_bodies``),
and uniform playouts of the game's own (``playouts.conformance``). Commands and the Python interface ask so of a user's
own game, once per version of its source.
``suite`` asks the rest, of compiled code. A body that never returns ends either (``watch``).
"""

import contextlib
import hashlib
import importlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpumcts.compiling import cache
from gpumcts.compiling.class_names import own_classes
from gpumcts.compiling.uncompiled import is_uncompiled

_held: set[Any] = set()
_asking = threading.RLock()


def check(game: Any) -> None:
    """Ask a game, as compiled code gets it, before it is compiled. Raises BadInput: one line with file and line."""
    from gpumcts.games.conformance import declared, plain_games, typed_bodies
    from gpumcts.playouts.conformance import check_playouts

    declared.check(game)
    plain_games.check(game)
    typed_bodies.check(game)
    check_playouts(game)


def check_once(question: str, *values: Any) -> None:
    """Ask a question of options, once for each version of the sources: what held is stamped in the compile cache.

    question : dotted name of a function of ``values``, of which the first is a user's own, as compiled code gets it
    """
    with _asking:  # another thread waits for the answer
        _ask_once(question, values)


def _ask_once(question: str, values: Sequence[Any]) -> None:
    from gpumcts.games.conformance.watch import watched

    key = question, *((type(value), value) for value in values)
    if key in _held:
        return
    _held.add(key)  # before it is asked: the asking itself takes the option as compiled
    stamp = _stamp(question, values)
    if stamp is not None and stamp.exists():
        return
    try:
        module, _, name = question.rpartition(".")
        watched(getattr(importlib.import_module(module), name), *values)
    except BaseException:
        _held.discard(key)
        raise
    if stamp is not None and not is_uncompiled():  # without types it held in part
        with contextlib.suppress(OSError):  # another process clears old caches away: it is asked again then
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()


def _stamp(question: str, values: Sequence[Any]) -> Path | None:
    """The file that says that options of these sources held; None where no file is sure to hold these sources."""
    classes = own_classes(values)
    if not classes or not cache.keeps(classes):
        return None
    named = (f"{type(value).__module__}.{type(value).__qualname__} {tuple(value)!r}" for value in values)
    text = f"{question} {' '.join(named)}"
    return cache.folder(classes) / "checked" / hashlib.sha256(text.encode()).hexdigest()[:20]
