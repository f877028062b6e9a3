"""Outcomes of a few playouts of every policy on every game as JSON; a test runs it where nothing is compiled."""

import json
import sys

import numba

from tests.playouts.drivers import GAMES, POLICIES, QUICK, plain_outcomes

PLAYOUTS = 2


def main() -> None:
    """Print {"game policy": outcomes}."""
    if not numba.config.DISABLE_JIT:
        sys.exit("run me with NUMBA_DISABLE_JIT=1")
    found = {f"{game} {policy}": plain_outcomes(GAMES[game], POLICIES[policy], PLAYOUTS) for game, policy in QUICK}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
