"""player=gtp: an external engine that speaks GTP."""

from typing import NamedTuple

from experiments.players.contract import Program
from experiments.players.external_engines import Patience, Processes, external_engine
from gpumcts.players.gtp import GtpLaunch, GtpPlayer, probe
from gpumcts.players.ranges import GtpSeconds

GNU_GO = "gnugo --mode gtp --level 1 --chinese-rules --positional-superko --capture-all-dead --play-out-aftermath"
"""GNU Go by our rules of Go: area, stones on the board alive, superko by position."""


class GtpPlayerKeys(NamedTuple):
    """The keys of player=gtp."""

    name: str = "gtp"
    command: str | None = None
    setup: list[str] = []
    seconds: GtpSeconds | None = None
    patience: Patience = 60.0
    processes: Processes = None


def _launch(words: list[str], keys: GtpPlayerKeys, prefix: str) -> GtpLaunch:
    return GtpLaunch(words, keys.setup, keys.seconds, keys.patience)


KIND = external_engine(GtpPlayerKeys, Program(_launch, probe, GtpPlayer, GNU_GO))
