"""The best of a sweep, and whether it holds on fresh games: ``round=choose`` has one seed, ``round=confirm`` another.

The best of several win rates lies above its true value, since it was picked for being high. So it is played once more.
"""

import shlex
from collections.abc import Callable, Sequence
from typing import Any

from experiments.config.scales import as_typed_today
from experiments.config.validation import shown
from experiments.runs.results import Result, groups
from experiments.runs.sequential import SPRT, told_early

CHOOSE, CONFIRM = "choose", "confirm"
MIN_GAMES = 400  # of a match whose sign is judged
CONFIG_DIR = ("--config-dir", "-cd")
OF_A_SWEEP = ("hydra.",)  # words of a command line that a sweep adds


def verdicts(results: Sequence[Result], key: str, pinned: Sequence[str] = ()) -> list[str]:
    """A line a table: the best value of ``key`` that the round found and the command that confirms it, or what the
    games of ``round=confirm`` say of it. ``pinned`` are the keys beside it that tell the tables of a sweep apart."""
    lines = []
    for title, some in groups(results).items():
        played = [result for result in some if result.summary["games"] and result.config.get("round")]
        chosen = [result for result in played if result.config["round"] == CHOOSE]
        if len(chosen) > 1:
            lines.append(f"{title}: {_choice(chosen, key, pinned)}")
        lines += [f"{title}: {_verdict(result)}" for result in played if result.config["round"] == CONFIRM]
    return lines


def ending(key: str, pinned: Sequence[str] = ()) -> Callable[[list[Result], Any], list[str]]:
    """``verdicts`` as the end of a sweep."""

    def end(results: list[Result], folder: Any) -> list[str]:
        from experiments.terminal.console import show

        show(*verdicts(results, key, pinned))
        return []

    return end


def _rate(result: Result) -> float:
    return result.summary["win_rate"]


def interval(result: Result) -> str:
    """The label of a match, its win rate with Wilson's interval, and its seed."""
    rate, low, high = (100 * result.summary[name] for name in ("win_rate", "ci95_low", "ci95_high"))
    return f"{result.label}, {rate:.1f} % [{low:.1f}, {high:.1f}], seed {result.summary['seed']}"


def _choice(chosen: Sequence[Result], key: str, pinned: Sequence[str]) -> str:
    best, games = max(chosen, key=_rate), sorted({result.summary["games"] for result in chosen})
    number = str(games[0]) if len(games) == 1 else f"{games[0]} to {games[-1]}"
    few = f" (chosen by {number} games a cell)" if games[0] < MIN_GAMES else ""
    return f"best {interval(best)}{few}. On fresh games: {confirming([best], key, pinned)}"


def _verdict(result: Result) -> str:
    if why := told_early(result.summary):
        return f"{interval(result)}; {why}"
    if result.summary["games"] < MIN_GAMES:
        return f"{interval(result)}; a verdict takes {MIN_GAMES} games, and {result.summary['games']} were played"
    low = 100 * result.summary["ci95_low"]
    above = "above 50 %: a gain is confirmed" if low > 50 else "not above 50 %: no gain is confirmed"
    return f"{interval(result)}; the lower end is {above}"


def confirming(best: Sequence[Result], key: str, pinned: Sequence[str]) -> str:
    """The command line of some runs' sweep, narrowed to those runs, with the other seed, as a shell takes it.

    All games of a confirmation are played: a sequential test is left out.
    """
    first = best[0]
    typed = as_typed_today(map(str, first.provenance["command"][1:]))
    folder, words = _config_dir(typed)
    words = [word for word in words if not word.startswith(("-", *OF_A_SWEEP))]
    set_here = {key, "round", SPRT, *pinned}
    words = [_settled(word, first.config) for word in words if word.partition("=")[0] not in set_here]
    words += [f"{name}={first.config[name]}" for name in pinned]
    words.append(f"{key}={','.join(str(result.config[key]) for result in best)}")
    return shlex.join(["python", "-m", f"experiments.{first.program}", *folder, *words, f"round={CONFIRM}"])


def _config_dir(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The flag of a user's own configurations, with its folder, and the other words."""
    for at, word in enumerate(words):
        if word in CONFIG_DIR:
            return list(words[at : at + 2]), [*words[:at], *words[at + 2 :]]
        if word.startswith(f"{CONFIG_DIR[0]}="):
            return [word], [*words[:at], *words[at + 1 :]]
    return [], list(words)


def _settled(word: str, config: dict[str, Any]) -> str:
    """A word of the command line; where it sweeps a key, with the value of this run."""
    name, _, value = word.partition("=")
    if "," not in value or value.startswith(("[", "{", "'", '"')):
        return word
    found: Any = config
    for part in name.partition("@")[2].split(".") if "@" in name else name.split("."):
        found = found.get(part, {}) if isinstance(found, dict) else {}
    return f"{name}={shown(found.get('name', value) if isinstance(found, dict) else found)}"
