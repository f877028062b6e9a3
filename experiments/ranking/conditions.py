"""The conditions of a run on positions, in words: game, positions' source, draws, what is less than a document's."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.config.scales import DOCUMENT, SMALL, scale_of
from experiments.config.schema import Checked
from experiments.config.validation import shown
from experiments.ranking.positions import DataKeys, Positions, content_digest
from experiments.runs.run_directory import CONFIG
from experiments.terminal.console import counted
from gpumcts.compiling.own_sources import SOURCES

THIRD = {
    "played": "the third occurrence of a position draws the games the positions are of, not in searches and playouts",
    "everywhere": "the third occurrence of a position draws in playouts too, as far as their own beginning, "
    "not in searches",
}
"""Of Chess, by ``game.repetition``."""


def conditions(config: Checked, data: DataKeys, positions: Positions) -> list[str]:
    """Game, source of the positions, and draws, a line each."""
    game = dict(config.identity["game"])
    name, _ = game.pop("name"), game.pop(SOURCES, None)
    terms = ", ".join(f"{key}={shown(value)}" for key, value in game.items())
    lines = [f"Game: {name}{f' ({terms})' if terms else ''}.", source_words(data, positions, config.keys.seed)]
    return [*lines, *_draws(name, game)]


def source_words(data: DataKeys, positions: Positions, seed: int) -> str:
    """Where positions come from, and how many of those that are there."""
    games, chosen = counted(positions.games, "game"), counted(len(positions.boards), "position")
    if data.pgn is not None:
        source = f"{games} of data.pgn={_file(data.pgn, data)}"
    elif data.positions_file is not None:
        source = f"data.positions_file={_file(data.positions_file, data)}"
    else:
        source = f"{games} played at random (seed {seed}): neither data.pgn nor data.positions_file is given"
    sampled = len(positions.boards) < positions.there
    fewer = data.positions is not None and data.positions > positions.there
    every = f"all there are (data.positions={data.positions})" if fewer else "all"
    part = f"a sample (seed {seed}) of the {positions.there:,}" if sampled else every
    return f"Positions: {chosen}, {part}{data.plies} that leave a choice, of {source}."


def _file(name: str, data: DataKeys) -> str:
    """A file by its name and what it holds, which is the same wherever it lies."""
    return f"{Path(name).name} (SHA-256 {content_digest(data)}...)"


def _draws(name: str, game: dict[str, Any]) -> list[str]:
    if name != "chess":
        return []
    return [
        "Draws, in searches and playouts: stalemate, fifty moves without a capture or a pawn's move, too few pieces "
        f"to mate, and ply {game['max_plies']:,}, counted from the move number of the position; "
        f"{THIRD[game['repetition']]}."
    ]


def as_document(data: DataKeys, game_name: str) -> bool:
    """Whether a document's figures on games of grandmasters may stand beside ours."""
    return game_name == "chess" and data.pgn is not None


def departures(folder: Path, ours: Mapping[str, Any]) -> list[str]:
    """What a folder's run has less of than its document, and what of the experiment's scale the command line changed.

    ours : the values that the run had, by the keys of the scales; it may have others
    """
    import yaml

    from experiments.analysis.sweep_report import reduced
    from experiments.runs.results import Result

    config = yaml.safe_load((folder / CONFIG).read_text("utf-8"))
    scales = config.get("scales", {})
    own = scales.get(scale_of(config), {})
    used = {key: ours[key] for key in own if key in ours}
    if DOCUMENT in scales:  # what ``reduced`` calls small is what the run had
        words = {key: _all_or(value) for key, value in used.items()}
        theirs = {key: _all_or(value) for key, value in scales[DOCUMENT].items()}
        config["scales"] = {SMALL: words, DOCUMENT: theirs}
    changed = [
        f"{key} {_all_or(used[key])} (of the experiment: {_all_or(own[key])})" for key in used if used[key] != own[key]
    ]
    told = f"Not as the experiment has it, by the command line: {'; '.join(changed)}."
    return [*reduced([Result(folder, config, {}, {})]), *([told] if changed else [])]


def _all_or(value: Any) -> Any:
    """A value of a scale for people: null takes all there are."""
    return "all" if value is None else value
