"""The other programs that the benchmark can measure beside ours, and whether they are installed."""

from importlib.util import find_spec
from typing import NamedTuple


class Peer(NamedTuple):
    """Another program: the modules it needs, and the packages that bring them, as ``pip install`` takes them."""

    modules: tuple[str, ...]
    packages: str


PEERS = {"open_spiel": Peer(("pyspiel",), "open_spiel"), "pgx": Peer(("pgx", "jax"), "pgx jax")}


def not_installed(name: str) -> str:
    """What is missing of a peer and how to get it, on one line; empty where nothing is."""
    peer = PEERS[name]
    missing = [module for module in peer.modules if find_spec(module) is None]
    if not missing:
        return ""
    return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed; pip install {peer.packages}"
