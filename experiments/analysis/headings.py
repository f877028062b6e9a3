"""What stands above a table or a panel: what all of its runs share of game, opponent, budget and settings."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from experiments.analysis.by_game import game_title
from experiments.analysis.labels import place_of, settings_of, value_text
from experiments.config.defaults import is_default
from experiments.runs.results import Result

WORD = re.compile(r"\+{0,2}([\w.@/]+)=(.*)", re.DOTALL)
SWEPT = re.compile(r"^[^\[{'\"]*,|^(interval|choice|range|glob|shuffle|sort)\(")
NOT_PLAYED = (
    "games", "sprt", "seed", "threads", "engine", "memory_gb", "games_in_flight", "objective", "scale", "title",
)  # fmt: skip
"""Keys that tables and records tell, or that decide no result."""
MAX_SETTINGS = 6  # in a title; ``table.csv`` has all


def heading(title: str, results: Sequence[Result]) -> str:
    """The title of a table, with what all of its runs share."""
    shared = plot_title(results)
    return shared if shared.startswith(title) else f"{title}: {shared}"


def plot_title(results: Sequence[Result]) -> str:
    """What runs reproduce; else the command, and what all of them share: game, opponent, budget, settings."""
    if results[0].config.get("document"):
        return results[0].title
    identities = [result.provenance.get("identity") or {} for result in results]
    game = _shared([identity.get("game", {}).get("name") for identity in identities])
    opponent = _shared([result.summary.get("opponent", {}).get("label") for result in results])
    budgets = [identity.get("budget") or {} for identity in identities]
    iterations, seconds = (_shared([budget.get(key) for budget in budgets]) for key in ("iterations", "seconds"))
    counted = counted_by(map(method_of, results))
    words = [
        game and game_title(str(game)),
        opponent and f"against {re.sub(r'^uct', 'UCT', str(opponent))}",
        f"{iterations:,} {counted}" if iterations else f"{seconds:g} s a move" if seconds else None,
        *_in_short(_settings(results, str(opponent or ""))),
    ]
    told = ", ".join(word for word in words if word)
    command = "" if results[0].program == "match" else results[0].title
    return ": ".join(filter(None, [command, told])) or results[0].title


def method_of(result: Result) -> str:
    """The ``method`` of a run of experiments.trees; ``search`` for all other commands."""
    return str(result.config.get("method", "search")) if result.program == "trees" else "search"


def counted_by(methods: Iterable[str]) -> str:
    """What budgets and checkpoints count, for searches by ``methods``: alpha-beta counts leaves."""
    kinds = {"iterations" if method == "search" else "leaves" for method in methods}
    return kinds.pop() if len(kinds) == 1 else "iterations (alpha-beta: leaves)"


def _shared(values: list[Any]) -> Any:
    """The one value that all have; None where they differ."""
    return values[0] if all(value == values[0] for value in values) else None


def _in_short(settings: list[str]) -> list[str]:
    more = len(settings) - MAX_SETTINGS
    return settings if more <= 1 else [*settings[:MAX_SETTINGS], f"{more} more in table.csv"]


def _settings(results: Sequence[Result], opponent: str) -> list[str]:
    """The keys of command lines whose value all runs share and that is no default, without what a title tells."""
    named: dict[str, list[str]] = {}
    for result in results:
        for word in map(WORD.fullmatch, map(str, result.provenance.get("command", ())[1:])):
            if word is not None and not word[1].startswith("hydra"):
                named.setdefault(place_of(word[1]), []).append(word[2])
    values = [settings_of(result) for result in results]
    found = []
    for key, texts in named.items():
        if key in NOT_PLAYED or key.rpartition(".")[2] == "player" and opponent and key.startswith("opponent."):
            continue
        value = _value(key, texts, values)
        if value is None or _is_told(key, value, values[0], opponent):
            continue
        if not is_default(results[0].program, key, value, values[0]):
            found.append(f"{key}={texts[0] if texts[0].startswith('[') else value_text(value)}")
    return found


def _value(key: str, texts: Sequence[str], values: Sequence[dict[str, Any]]) -> Any:
    """The value of a key that all runs share, as it was typed where their records do not have it; else None."""
    if any(key in own for own in values):
        return _shared([own.get(key) for own in values])
    same = len(texts) == len(values) and not SWEPT.search(texts[0])
    return _shared(list(texts)) if same else None


def _is_told(key: str, value: Any, own: dict[str, Any], opponent: str) -> bool:
    """Whether the rest of a title says it: the game, the budget of both sides, what the opponent is called by."""
    if key in ("game", "budget", "budget.iterations", "budget.seconds", "opponent.budget"):
        return True
    if key.startswith("opponent.budget."):
        return own.get(key.removeprefix("opponent.")) == value
    known = f"{key.rpartition('.')[2]}={value_text(value)}", value_text(value)
    return key.startswith("opponent.") and any(word in known for word in opponent.split())


def astray(summary: Mapping[str, Any]) -> str:
    """The heading of ``wrong_share`` of experiments.trees: without exact values, visits to all moves but the first."""
    return "visits to wrong moves %" if "decisive" in summary else "visits to moves but the first %"
