"""Questions the documents leave open: what their runs are called, and what their sweeps end with."""

from pathlib import Path

from experiments.playout_comparison import comparison
from experiments.recovery import recovery
from experiments.results import Result
from experiments.rounds import ending

TITLES = {
    "recovery": "Recovery from poor early choices (document 004, remark 1)",
    "decay": "Accelerated UCT with a decay that sets itself (document 002, section 6)",
    "evaluation": "UCT with an evaluation against plain UCT (document 000, section 4)",
}


def decay(results: list[Result], folder: Path) -> list[str]:
    """The table of all boards and budgets, and the best way on each."""
    files = comparison(results, folder)
    ending("option", ("board", "by"))(results, folder)
    return files


CONCLUSIONS = {"recovery": recovery, "decay": decay, "evaluation": comparison}
