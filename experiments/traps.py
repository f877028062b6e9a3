"""Soft traps in games: positions in which a deep search thinks otherwise of a shallow one's choice.

This is section 5 of Ramanujan et al. 2010.

    python -m experiments.traps data.pgn=games.pgn data.games=10
    python -m experiments.traps data.pgn=games.pgn data.positions=200 deep=6 playouts=10
    python -m experiments.traps experiment=ramanujan2010understanding/softtraps scale=small data.pgn=games.pgn
    python -m experiments.traps experiment=ramanujan2010understanding/fig2 scale=small data.pgn=games.pgn

With m the choice of MM-2, positions are told apart by |v8(m) - v2(m)| >= Delta, for many Delta, which are on the scale
of the game's evaluation (a quarter of a pawn to ten in Chess) where none are given; 2 and 8 are ``shallow`` and
``deep``. Soft traps of Definition 1 that MM-2 does not see are counted apart; with ``playouts``, playouts between
players of the shallow search show which of them they would have avoided, and lines of play show why. Positions are
worked through in parts, and a run that was stopped goes on with those that are missing. report.md lies beside
results.jsonl, which has a line a position.
"""

import sys
import threading
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.analysis.result_table import traps_cells
from experiments.app.command import Command, Run
from experiments.config.command_options import Seed, Threads
from experiments.config.schema import OF_EXPERIMENTS, Checked, Given, Plain, Study, as_json
from experiments.config.validation import typed
from experiments.ranking.checks import two_player_game
from experiments.runs.presentation import Presentation
from experiments.runs.resumable_job import Reported, resume
from experiments.terminal.console import Bar, here
from gpumcts.alpha_beta.table import MAX_DEPTH
from gpumcts.errors import BadInput
from gpumcts.games.contract import evaluation_unit
from gpumcts.options import compiled

GROUPS = ("game", "data")
POSITIONS_A_THREAD = 8  # of a part
DELTAS = (25, 50, 75, 100, 150, 200, 300, 400, 500, 700, 1000)  # in hundredths of the unit of the evaluation


LEAST_EPSILON = 2.0**-32  # that the random word of a ply tells from 0


class TrapsKeys(NamedTuple):
    """The plain keys of experiments.traps."""

    shallow: Annotated[int, Interval(ge=1, le=3)] = 2
    deep: Annotated[int, Interval(ge=2, le=MAX_DEPTH)] = 4
    strategy: Annotated[int, Interval(ge=0, le=MAX_DEPTH - 1)] = 1
    deltas: list[int] | None = None
    delta: Annotated[int, Interval(ge=1, le=2**31)] | None = None
    playouts: Annotated[int, Interval(ge=0, le=1_000_000)] = 0
    epsilon: Annotated[float, Interval(ge=0, le=1)] = 0.05
    shown: Annotated[int, Interval(ge=0, le=1000)] = 3
    seed: Seed = 1
    threads: Threads = None


def traps_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.traps."""
    from experiments.ranking.positions import DataKeys, check_data, check_source

    keys = typed(TrapsKeys, {key: value for key, value in plain.items() if key not in (*GROUPS, *OF_EXPERIMENTS)})
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    game, game_identity = two_player_game(plain)
    keys = on_scale_of(game, keys)
    data = typed(DataKeys, plain["data"], "data")
    check_data(data, game_identity["name"])
    check_source(data, game_identity["name"], study.document)
    if keys.deep <= keys.shallow:
        raise BadInput(f"deep={keys.deep}: must be above shallow={keys.shallow}")
    if 0 < keys.epsilon < LEAST_EPSILON:
        raise BadInput(f"epsilon={keys.epsilon:g}: must be 0 or at least 2^-32, about {LEAST_EPSILON:.2g}")
    if not keys.deltas or min(keys.deltas) < 1:
        raise BadInput("deltas: must be differences of at least 1, such as [50,100,200]")
    deciding = {key: value for key, value in keys._asdict().items() if key not in ("threads", "deltas", "shown")}
    identity = {"game": game_identity, **deciding, "data": data.identity()}
    slug = f"{game_identity['name']} MM-{keys.shallow} vs MM-{keys.deep}"
    return Checked(as_json(identity), slug, keys, game=game, policy=data, study=study)


def on_scale_of(game: Any, keys: TrapsKeys) -> TrapsKeys:
    """The keys with Deltas on the scale of a game's evaluation where none are given: a unit, and 1/4 to ten of them."""
    unit = int(evaluation_unit(compiled(game)))
    deltas = sorted({max(1, hundredths * unit // 100) for hundredths in DELTAS})
    given = keys.deltas if keys.deltas is not None else deltas
    return keys._replace(deltas=given, delta=keys.delta if keys.delta is not None else unit)


def prepare(config: Checked) -> None:
    """Refuse games with chance, files that are broken, and sets of positions that are empty."""
    from experiments.ranking.positions import boards_of, check_file
    from gpumcts.players.game_checks import check_no_chance

    check_file(config.policy)
    check_no_chance(config.game, f"game={config.identity['game']['name']}")
    boards_of(config.game, config.policy, config.keys.seed)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Search, or go on; returns the summary."""
    return resume(config, run, TrapSearch)


class TrapSearch:
    """The searches of all positions, and the report of them: a ``Job``."""

    def __init__(self, config: Checked, folder: Path) -> None:
        from experiments.ranking.lines import LINES, Lines
        from experiments.ranking.positions import boards_of

        self._config, self._folder = config, folder
        self._positions = boards_of(config.game, config.policy, config.keys.seed)
        self.total, self.kept = len(self._positions.boards), folder / LINES
        self._lines = Lines(self.kept, self._positions.boards)

    def done(self) -> int:
        """As ``Job.done``."""
        return len(self._lines.found)

    def go_on(self, stop: threading.Event, shown: Bar) -> None:
        """As ``Job.go_on``: in parts, each searched as a batch."""
        from experiments.soft_traps.search import Traps

        missing = [number for number in range(self.total) if number not in self._lines.found]
        searches = Traps(self._config) if missing else None
        size = POSITIONS_A_THREAD * self._config.threads
        for begin in range(0, len(missing), size):
            part = missing[begin : begin + size]
            assert searches is not None
            for line in searches.lines(part, [self._positions.boards[number] for number in part], stop):
                self._lines.add(line)
            shown.advance(len(part))

    def report(self) -> Reported:
        """As ``Job.report``."""
        from experiments.ranking.conditions import conditions, departures
        from experiments.soft_traps.report import brief, tables, write_report
        from experiments.soft_traps.summary import summarise

        config, lines = self._config, self._lines.in_order
        summary = {
            **summarise(lines, config),
            "conditions": conditions(config, config.policy, self._positions),
            "departures": departures(self._folder, {**config.policy._asdict(), **config.keys._asdict()}),
        }
        told = {**summary, "sampled": len(self._positions.boards) < self._positions.there}
        write_report(config, lines, told, self._folder)
        files = f"report.md, softtraps.png and {self.kept.name} in {here(self._folder)}"
        return Reported(summary, brief(summary), [*tables(config, lines, told), files])


def numbers(config: Checked) -> tuple[str, ...]:
    """Those of the summary; ``by_chance`` and ``distinct`` are null without playouts."""
    from experiments.soft_traps.summary import steps_of

    steps = (f"traps.{name}.{key}" for name in steps_of(config.keys) for key in ("positions", "games"))
    return "positions", "games", "delta_as_printed", *steps, "by_chance", "distinct", "seed"


COMMAND = Command(
    "traps",
    traps_config,
    work,
    prepare,
    numbers=numbers,
    results=Presentation(traps_cells, partial=False, keys=TrapsKeys),
    resumes=True,
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
