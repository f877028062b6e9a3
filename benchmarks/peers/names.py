"""The other programs that the benchmark can measure beside ours, and whether they are installed."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple


class Peer(NamedTuple):
    """Another program: the modules it needs, and the packages that bring them, as ``pip install`` takes them.

    missing : for a program that is no package, what is missing to run it, on one line; empty where nothing is
    """

    modules: tuple[str, ...] = ()
    packages: str = ""
    missing: Callable[[], str] | None = None


def _missing_of_mctsnc() -> str:
    from benchmarks.peers import mctsnc

    return mctsnc.missing()


PEERS = {
    "open_spiel": Peer(("pyspiel",), "open_spiel"),
    "pgx": Peer(("pgx", "jax"), "pgx jax"),
    "mctsnc": Peer(missing=_missing_of_mctsnc),
}


def not_installed(name: str) -> str:
    """What is missing of a peer and how to get it, on one line; empty where nothing is."""
    peer = PEERS[name]
    if peer.missing is not None:
        return peer.missing()
    missing = [module for module in peer.modules if find_spec(module) is None]
    if not missing:
        return ""
    return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed; pip install {peer.packages}"
