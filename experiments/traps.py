"""Soft traps in games: positions in which a deep search thinks otherwise of a shallow one's choice (document 004, section 5).

    python -m experiments.traps data.pgn=games.pgn data.games=10 deep=5
    python -m experiments.traps data.pgn=games.pgn data.positions=200 deep=5 playouts=10
    python -m experiments.traps experiment=ramanujan2010understanding/softtraps budget=small data.pgn=games.pgn
    python -m experiments.traps experiment=ramanujan2010understanding/fig2 budget=small data.pgn=games.pgn

With m the choice of MM-2, positions are told apart by |v8(m) - v2(m)| >= Delta, for many Delta; 2 and 8 are ``shallow`` and
``deep``. With ``playouts``, playouts between players of the shallow search then show whether they would have avoided m, and lines
of play show why. Positions are worked through in parts, and a run that was stopped goes on with those that are missing.
"""

import sys
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.command import Command, Run
from experiments.console import bar, here, say, show, stop_on_interrupt
from experiments.keys import Seed, Threads
from experiments.rank import refuse_budget, two_player_game
from experiments.schema import OF_EXPERIMENTS, Checked, Given, Plain, Study, as_json
from experiments.values import typed
from gpumcts.deepening.table import MOST_DEPTH
from gpumcts.errors import BadInput

GROUPS = ("game", "data", "budget")
POSITIONS_A_THREAD = 8  # of a part


class TrapsKeys(NamedTuple):
    """The plain keys of experiments.traps."""

    shallow: Annotated[int, Interval(ge=1, le=3)] = 2
    deep: Annotated[int, Interval(ge=2, le=MOST_DEPTH)] = 8
    strategy: Annotated[int, Interval(ge=0, le=MOST_DEPTH - 1)] = 3
    deltas: list[int] = [25, 50, 75, 100, 150, 200, 300, 400, 500, 700, 1000]  # noqa: RUF012
    delta: Annotated[int, Interval(ge=1, le=2**31)] = 100
    playouts: Annotated[int, Interval(ge=0, le=1_000_000)] = 0
    epsilon: Annotated[float, Interval(ge=0, le=1)] = 0.05
    shown: Annotated[int, Interval(ge=0, le=1000)] = 3
    seed: Seed = 1
    threads: Threads = None


def traps_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.traps."""
    from experiments.rank_boards import DataKeys, check_data, content_digest

    keys = typed(TrapsKeys, {key: value for key, value in plain.items() if key not in (*GROUPS, *OF_EXPERIMENTS)})
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    game, game_identity = two_player_game(plain)
    refuse_budget(given)
    data = typed(DataKeys, plain["data"], "data")
    check_data(data, game_identity["name"])
    if keys.deep <= keys.shallow:
        raise BadInput(f"deep={keys.deep}: must be above shallow={keys.shallow}")
    if not keys.deltas or min(keys.deltas) < 1:
        raise BadInput("deltas: must be differences of at least 1, such as [50,100,200]")
    deciding = {key: value for key, value in keys._asdict().items() if key not in ("threads", "deltas", "shown")}
    identity = {"game": game_identity, **deciding, "data": {**data._asdict(), "content": content_digest(data)}}
    slug = f"{game_identity['name']} MM-{keys.shallow} vs MM-{keys.deep}"
    return Checked(as_json(identity), slug, keys, game=game, policy=data, study=study)


def prepare(config: Checked) -> None:
    """Refuse games with chance, files that are broken, and sets of positions that are empty."""
    from experiments.rank_boards import boards_of
    from gpumcts.players.chance import refuse_chance

    refuse_chance(config.game, f"game={config.identity['game']['name']}")
    boards_of(config.game, config.policy, config.keys.seed)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Search, or go on; returns the summary."""
    from experiments.rank_boards import boards_of
    from experiments.rank_lines import LINES, Lines
    from experiments.traps_report import brief, tables, write_report
    from experiments.traps_search import Traps
    from experiments.traps_summary import summarise

    boards = boards_of(config.game, config.policy, config.keys.seed).boards
    lines = Lines(run.folder / LINES, boards)
    title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else config.slug
    size = POSITIONS_A_THREAD * config.threads
    missing = [number for number in range(len(boards)) if number not in lines.found]
    with stop_on_interrupt("stopping; finished parts are kept ...") as stop, bar(title, len(boards)) as shown:
        shown.advance(len(lines.found))
        try:
            searches = Traps(config) if missing else None
            for begin in range(0, len(missing), size):
                part = missing[begin : begin + size]
                assert searches is not None
                for line in searches.lines(part, [boards[number] for number in part], stop):
                    lines.add(line)
                shown.advance(len(part))
        except KeyboardInterrupt:
            say(f"{len(lines.found)} of {len(boards)} positions are done, in {here(run.folder / LINES)}")
            return {"interrupted": True, "positions": len(lines.found), "seed": config.keys.seed}
    summary = summarise(lines.in_order, config)
    summary.update({key: value for key, value in config.study._asdict().items() if value is not None})
    write_report(config, lines.in_order, summary, run.folder)
    if run.of > 1:
        say(f"{title}: {brief(summary)}  {here(run.folder)}")
    else:
        show(*tables(config, lines.in_order, summary), f"report.md and {LINES} in {here(run.folder)}")
    return summary


COMMAND = Command("traps", traps_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
