"""Matches that a sequential test may end: what their summaries say of it."""

from collections.abc import Mapping, Sequence
from typing import Any

SPRT = "sprt"  # of a summary: the numbers asked for and where the test stands; of a configuration: those numbers
GO_ON = "go on"  # the decision, before there is one


def check_test(values: Sequence[float] | None) -> None:
    """Refuse numbers that make no test; None is no test. Raises BadInput."""
    if values is not None:
        from gpumcts.match.sequential import sequential_test  # brings scipy, which a match without a test can wait for

        sequential_test(values)


def told_early(summary: Mapping[str, Any]) -> str:
    """Why a match supports no verdict on its win rate; empty where it had no test that may have ended it early."""
    return "a sequential test may end it early, which overstates a difference: no verdict" if SPRT in summary else ""


def decided(summary: Mapping[str, Any]) -> bool:
    """Whether a match ended by the decision of its test."""
    return summary.get(SPRT, {}).get("decision", GO_ON) != GO_ON


def test_told(summary: Mapping[str, Any]) -> list[str]:
    """A line of where the test stands; none for a match without one."""
    if SPRT not in summary:
        return []
    test = summary[SPRT]
    elo0, elo1 = (f"{value:g}" for value in test["asked"][:2])
    stands = f"log-likelihood ratio {test['ratio']:.2f}, bounds {test['lower']:.2f} and {test['upper']:.2f}"
    if not decided(summary):
        return [f"SPRT of {elo0} (H0) against {elo1} Elo (H1): not decided, {stands}; more games go on"]
    accepted = elo1 if test["decision"] == "H1" else elo0
    return [f"SPRT of {elo0} (H0) against {elo1} Elo (H1): {test['decision']} accepted, {accepted} Elo; {stands}"]
