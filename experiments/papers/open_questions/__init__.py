"""Questions the documents leave open: what their runs are called, and what their sweeps end with."""

from collections.abc import Sequence
from pathlib import Path

from experiments.analysis.holdout import CHOOSE, CONFIRM, confirming, interval
from experiments.papers.open_questions import drift, recovery
from experiments.papers.playout_comparison import comparison
from experiments.runs.results import Result, groups
from experiments.runs.sequential import told_early

TITLES = {
    "recovery": "Recovery from poor early choices (Ramanujan et al. 2010, remark 1)",
    "drift": "Decays on trees whose values drift (Hashimoto et al. 2012, section 6)",
    "decay": "Accelerated UCT with a decay that sets itself (Hashimoto et al. 2012, section 6)",
    "evaluation": "UCT with an evaluation against plain UCT (Kocsis et al. 2006, section 4)",
}

FIXED = "accelerated"  # the backup of a decay found by hand; the rules have another


def decay(results: list[Result], folder: Path) -> list[str]:
    """The table of all boards and budgets; on each the best fixed decay and the best rule, and how they compare."""
    from experiments.terminal.console import show

    files = comparison(results, folder)
    show(*duels(results))
    return files


def duels(results: Sequence[Result]) -> list[str]:
    """A line a table: the best decay found by hand and the best rule of the round that chooses, with the command that
    plays both on fresh games; or, of ``round=confirm``, by how much the rule's win rate against plain UCT lies above
    the decay's."""
    lines = []
    for title, some in groups(list(results)).items():
        played = [result for result in some if result.summary["games"]]
        for round_, said in ((CHOOSE, _chosen), (CONFIRM, _compared)):
            found = [result for result in played if result.config.get("round") == round_]
            by_hand = [result for result in found if result.config["backup"]["name"] == FIXED]
            rules = [result for result in found if result.config["backup"]["name"] != FIXED]
            if by_hand and rules:
                lines.append(f"{title}: {said(max(by_hand, key=_rate), max(rules, key=_rate))}")
    return lines


def _rate(result: Result) -> float:
    return result.summary["win_rate"]


def _chosen(decay: Result, rule: Result) -> str:
    both = f"best decay by hand {interval(decay)}; best rule {interval(rule)}"
    return f"{both}. On fresh games: {confirming([decay, rule], 'option', ('board', 'by'))}"


def _compared(decay: Result, rule: Result) -> str:
    from gpumcts.match.statistics import difference_interval

    if why := told_early(decay.summary) or told_early(rule.summary):
        return f"{interval(rule)} less {interval(decay)}: {why}"
    points = [part for r in (rule, decay) for part in (_rate(r) * r.summary["games"], r.summary["games"])]
    low, high = (100 * end for end in difference_interval(*points))
    above = "above" if low > 0 else "below" if high < 0 else "neither above nor below"
    more = f"{100 * (_rate(rule) - _rate(decay)):+.1f} points [{low:+.1f}, {high:+.1f}]"
    return f"{interval(rule)} less {interval(decay)}: {more}, {above} the decay found by hand"


CONCLUSIONS = {"recovery": recovery.recovery, "drift": drift.drift, "decay": decay, "evaluation": comparison}
