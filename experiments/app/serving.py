"""What commands that serve others have in common: streams, and what is refused before anything is served."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from experiments.config.one_tree import leaves_told
from experiments.config.schema import Checked, Plain, as_json, check_policies, game_value, named, top_keys
from experiments.players.contract import GROUPS
from experiments.players.kinds.uct import searching_player
from experiments.players.registry import label
from gpumcts.errors import BadInput
from gpumcts.kernels import engines


def serving_config(plain: Plain, cls: type, protocol: str) -> Checked:
    """The checked configuration of a command that serves as an engine, by ``protocol``; ``cls`` are its plain keys."""
    keys = top_keys(cls, plain, ("game", *GROUPS, "engine"))
    game, game_identity = game_value(plain)
    if game.PLAYERS != 2:
        raise BadInput(f"game={game_identity['name']} is for one player; {protocol} takes a game for two")
    player = searching_player(plain)
    check_policies(game, player.policy)
    engine = named(plain["engine"], "engine", engines.NAMES)
    if engine == "device" or player.settings.table is not None:
        key = "engine=device" if engine == "device" else f"search.table={player.settings.table}"
        raise BadInput(f"{key}: an engine searches a tree by slices, on engine=cpu or cuda")
    identity = {"game": game_identity, **player.identity, "engine": engine, **keys._asdict()}
    slug = f"{game_identity['name']} {label(player.identity)}"
    return Checked(as_json(identity), slug, keys, game=game, player=player, engine=engine, trees_at_once=1)


def check_serving(config: Checked) -> None:
    """Refuse an engine that is not there, and a budget that does not fit."""
    from experiments.players.preflight import check_engine, check_memory

    check_engine(config)
    check_memory(config)


def tell_batches(config: Checked) -> None:
    """A line for whoever started the engine, where a batch has more than a leaf."""
    from experiments.terminal.console import say

    assert config.player is not None
    if told := leaves_told(config.player.settings.leaves_per_tree):
        say(f"searches{told} (search.leaves_per_tree)")


@contextmanager
def own_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Stdin unbuffered, and stdout for answers alone: what else is printed meanwhile goes to stderr."""
    sys.stdout.flush()
    own, before = os.dup(1), sys.stdout
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        with open(0, "rb", buffering=0, closefd=False) as source:
            sink = open(own, "wb", closefd=False)  # noqa: SIM115  closed below, where nobody may listen any more
            try:
                yield source, sink
            finally:
                with suppress(BrokenPipeError):  # what is left in its buffer
                    sink.close()
    finally:
        sys.stdout = before
        os.dup2(own, 1)
        os.close(own)
