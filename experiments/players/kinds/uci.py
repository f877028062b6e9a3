"""player=uci: an external engine that speaks UCI."""

from typing import NamedTuple

from experiments.players.contract import Program
from experiments.players.external_engines import Patience, Processes, external_engine
from gpumcts.players.ranges import UciDepth, UciNodes, UciSeconds
from gpumcts.players.uci import UciLaunch, UciPlayer, launch_of, probe


class UciPlayerKeys(NamedTuple):
    """The keys of player=uci."""

    name: str = "uci"
    command: str | None = None
    options: dict[str, bool | int | float | str | None] | None = None
    depth: UciDepth | None = None
    nodes: UciNodes | None = None
    seconds: UciSeconds | None = None
    patience: Patience = 60.0
    processes: Processes = None


def _launch(words: list[str], keys: UciPlayerKeys, prefix: str) -> UciLaunch:
    return launch_of(words, keys, f"{prefix}player=uci", f"{prefix}player.")


KIND = external_engine(UciPlayerKeys, Program(_launch, probe, UciPlayer, "gnuchess --uci"))
