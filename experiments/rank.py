"""Rank the legal moves of positions by several methods, and tell how each agrees with a deep search (document 004, Figure 1).

    python -m experiments.rank data.pgn=games.pgn data.positions=20 yardstick=minimax_4 methods=[minimax_4,random_playouts]
    python -m experiments.rank data.positions_file=positions.txt method.minimax_2_playouts.playouts=30
    python -m experiments.rank game=othello data.games=5 yardstick=minimax_6 methods=[minimax_6,evaluation,minimax_2]
    python -m experiments.rank '+method.minimax_5={kind: minimax, depth: 5}' yardstick=minimax_5 methods=[minimax_5,evaluation]
    python -m experiments.rank experiment=ramanujan2010understanding/fig1 budget=small data.pgn=games.pgn

Spearman's and Kendall's correlation of ranks, on each board and over all moves, with 95 % intervals by resampling whole games; of
playouts, as a function of how many there are and of the time they take. Each finished board is a line of results.jsonl, and a run
that was stopped goes on with those that are missing. report.md and its plots lie beside it.
"""

import sys
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.command import Command, Run
from experiments.console import bar, here, say, show, stop_on_interrupt
from experiments.keys import Seed, Threads
from experiments.schema import OF_EXPERIMENTS, Checked, Given, Plain, Study, as_json, game_value
from experiments.values import typed
from gpumcts.errors import BadInput

GROUPS = ("game", "data", "method", "budget")


class RankKeys(NamedTuple):
    """The plain keys of experiments.rank."""

    methods: list[str] = [
        "minimax_8",
        "evaluation",
        "random_playouts",
        "mm1_playouts",
        "minimax_2",
        "minimax_2_playouts",
    ]  # noqa: RUF012
    yardstick: str = "minimax_8"
    baseline: str | None = None
    ties_evaluation: Annotated[float, Interval(ge=0, le=1e9)] = 0.0
    ties_win_rate: Annotated[float, Interval(ge=0, le=1)] = 0.0
    board_ply: Annotated[int, Interval(ge=0, le=1_000_000)] = 31
    seed: Seed = 1
    threads: Threads = None


class Ranking(NamedTuple):
    """What a run is about, beside its plain keys: the positions, and the keys of each method."""

    data: Any
    methods: dict[str, Any]


def rank_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.rank."""
    from experiments.rank_boards import DataKeys, check_data, content_digest
    from experiments.rank_methods import checked_method

    keys = typed(RankKeys, {key: value for key, value in plain.items() if key not in (*GROUPS, *OF_EXPERIMENTS)})
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    game, game_identity = two_player_game(plain)
    refuse_budget(given)
    data = typed(DataKeys, plain["data"], "data")
    check_data(data, game_identity["name"])
    _check_names(keys, list(plain["method"]))
    found = {name: checked_method(name, plain["method"][name], game) for name in keys.methods}
    identity = {"game": game_identity, **keys._asdict(), "data": {**data._asdict(), "content": content_digest(data)}}
    identity["method"] = {name: own for name, (_, own) in found.items()}
    del identity["threads"]
    slug = f"{game_identity['name']} {len(keys.methods)} methods vs {keys.yardstick}"
    ranking = Ranking(data, {name: own for name, (own, _) in found.items()})
    return Checked(as_json(identity), slug, keys, game=game, policy=ranking, study=study)


def two_player_game(plain: Plain) -> tuple[Any, dict[str, Any]]:
    """The game of a configuration and its identity; refuses games that are not for two."""
    game, identity = game_value(plain)
    if game.PLAYERS != 2:
        raise BadInput(f"game={identity['name']} is for one player; moves are ranked in games for two")
    return game, identity


def refuse_budget(given: Given | None) -> None:
    """Refuse keys of the budget: the group names the scale of an experiment, and its figures count for nothing else."""
    if given is not None and (idle := sorted(key for key in given.keys if key.startswith("budget."))):
        raise BadInput(f"{idle[0]} does not count; methods have their own depths and playouts")


def _check_names(keys: RankKeys, known: list[str]) -> None:
    """Refuse methods that there are not, twice the same, too few, and a yardstick or baseline that is none of them."""
    for name in keys.methods:
        if name not in known:
            raise BadInput(f"methods: {name} is not known; there are: {', '.join(known)} (+method.NAME=... adds one)")
    if len(set(keys.methods)) < len(keys.methods):
        raise BadInput(f"methods=[{','.join(keys.methods)}]: one of them is named twice")
    for key in ("yardstick", "baseline"):
        name = getattr(keys, key)
        if name is not None and name not in keys.methods:
            raise BadInput(f"{key}={name}: must be one of methods: {', '.join(keys.methods) or 'there is none'}")
    if len(keys.methods) < 2:
        raise BadInput(f"methods=[{','.join(keys.methods)}]: give another one beside the yardstick")
    if keys.baseline == keys.yardstick:
        raise BadInput(f"baseline={keys.baseline}: that is the yardstick")


def prepare(config: Checked) -> None:
    """Refuse games with chance, files that are broken, and sets of positions that are empty."""
    from experiments.rank_boards import boards_of
    from gpumcts.players.chance import refuse_chance

    refuse_chance(config.game, f"game={config.identity['game']['name']}")
    boards_of(config.game, config.policy.data, config.keys.seed)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Rank, or go on; returns the summary."""
    from experiments.rank_boards import boards_of
    from experiments.rank_lines import LINES, Lines
    from experiments.rank_report import brief, tables, write_report
    from experiments.rank_summary import summarise

    boards = boards_of(config.game, config.policy.data, config.keys.seed)
    lines = Lines(run.folder / LINES, boards.boards)
    title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else config.slug
    with stop_on_interrupt("stopping; finished boards are kept ...") as stop, bar(title, len(boards.boards)) as shown:
        shown.advance(len(lines.found))
        try:
            _rank_missing(config, boards.boards, lines, stop, shown)
        except KeyboardInterrupt:
            say(f"{len(lines.found)} of {len(boards.boards)} boards are done, in {here(run.folder / LINES)}")
            return {"interrupted": True, "boards": len(lines.found), "seed": config.keys.seed}
    summary = {**summarise(lines.in_order, config), "left_out": {"over": boards.over, "one_move": boards.forced}}
    summary.update({key: value for key, value in config.study._asdict().items() if value is not None})
    write_report(config, lines.in_order, summary, run.folder)
    if run.of > 1:
        say(f"{title}: {brief(summary)}  {here(run.folder)}")
    else:
        show(*tables(summary), f"report.md, its plots and {LINES} in {here(run.folder)}")
    return summary


def _rank_missing(config: Checked, boards: list[Any], lines: Any, stop: Any, shown: Any) -> None:
    """Rank the moves of the boards that have no line yet, one after the other."""
    from experiments.rank_methods import method_of

    missing = [number for number in range(len(boards)) if number not in lines.found]
    if not missing:
        return
    chosen, threads = config.policy.methods, config.threads
    methods = {name: method_of(keys, config.game, config.keys.seed, threads) for name, keys in chosen.items()}
    for name, method in methods.items():
        shown.note(f"{name}: first call")
        method.warm(boards[missing[0]])
    for number in missing:
        shown.note(f"board {number + 1}")
        if stop.is_set():
            raise KeyboardInterrupt
        lines.add(_line(config, number, boards[number], methods, stop))
        shown.advance(1)


def _line(config: Checked, number: int, board: Any, methods: dict[str, Any], stop: Any) -> dict[str, Any]:
    """What is written of a board: everything that tables and plots are made of."""
    found = {name: method.of(board, stop) for name, method in methods.items()}
    curves = {
        name: {"points": methods[name].points, "values": one.curve.tolist(), "seconds": one.curve_seconds.tolist()}
        for name, one in found.items()
        if one.curve is not None
    }
    return {
        "number": number, "game": board.game, "ply": board.ply, "title": board.title, "position": board.text,
        "moves": move_texts(config.game, board.words),
        "values": {name: one.values.tolist() for name, one in found.items()},
        "seconds": {name: one.seconds for name, one in found.items()},
        "nodes": {name: one.nodes for name, one in found.items() if one.nodes},
        "curves": curves,
        "distinct": {name: one.distinct.tolist() for name, one in found.items() if one.distinct is not None},
    }  # fmt: skip


def move_texts(game: Any, words: Any) -> list[str]:
    """The legal moves of a packed state in the game's notation, in order."""
    import numpy as np

    from gpumcts.games import contract
    from gpumcts.kernels.batch import Rules

    rules = Rules(game)
    state = rules.state(words)
    with np.errstate(over="ignore"):
        return [contract.move_text(rules.game, state, int(move)) for move in rules.legal_moves(words)]


COMMAND = Command("rank", rank_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
