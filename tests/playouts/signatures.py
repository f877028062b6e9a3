"""Digests of 500 playouts for every policy on every game, kept in a file: results change on purpose or not at all.

``python -m tests.playouts.signatures`` writes the file anew.
"""

import hashlib
from pathlib import Path

from tests.playouts.drivers import GAMES, POLICIES, RECORDED, compiled_outcomes

FILE = Path(__file__).with_name("signatures.txt")
PLAYOUTS = 500


def recorded() -> dict[str, str]:
    """What the file says: {"game policy": digest}."""
    return dict(line.rsplit(" ", 1) for line in FILE.read_text().splitlines())


def computed(names) -> dict[str, str]:
    """The same for ``names`` from the present code."""
    found = {}
    for name in names:
        game, policy = name.split()
        outcomes = repr(compiled_outcomes(GAMES[game], POLICIES[policy], PLAYOUTS))
        found[name] = hashlib.sha256(outcomes.encode()).hexdigest()[:16]
    return found


if __name__ == "__main__":
    present = computed(f"{game} {policy}" for game, policy in RECORDED)
    FILE.write_text("".join(f"{name} {digest}\n" for name, digest in present.items()))
