"""Rank the legal moves of positions by several methods, and tell how each agrees with a deep search.

This is Figure 1 of Ramanujan et al. 2010.

    python -m experiments.rank data.pgn=games.pgn data.positions=20
    python -m experiments.rank data.pgn=games.pgn data.positions=null reference=minimax_6 methods=[minimax_6,minimax_2]
    python -m experiments.rank data.positions_file=positions.txt method.minimax_2_playouts.playouts=30
    python -m experiments.rank game=othello data.games=5 reference=minimax_6 methods=[minimax_6,evaluation,minimax_2]
    python -m experiments.rank '+method.mm5={kind: minimax, depth: 5}' reference=mm5 methods=[mm5,evaluation]
    python -m experiments.rank experiment=ramanujan2010understanding/fig1 scale=small data.pgn=games.pgn

Spearman's and Kendall's correlation of ranks, on each board and over all moves, with 95 % intervals by resampling whole
games; of playouts, as a function of how many there are and of the time they take, with paired differences at equal
playouts and at equal time. Values are kept by method, in values/: a run that was stopped, or has another method now,
goes on with what is missing. Beside it lie report.md with its plots, ranks.csv (every move's value and rank by every
method) and boards.csv (every position's correlations).
"""

import sys
import threading
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.analysis.result_table import rank_cells
from experiments.app.command import Command, Run
from experiments.config.command_options import Seed, Threads
from experiments.config.scales import DOCUMENT
from experiments.config.schema import OF_EXPERIMENTS, Checked, Given, Plain, Study, as_json
from experiments.config.validation import typed
from experiments.ranking.checks import two_player_game
from experiments.runs.presentation import Presentation
from experiments.runs.resumable_job import Reported, resume
from experiments.terminal.console import Bar, here
from gpumcts.errors import BadInput

GROUPS = ("game", "data", "method")


class RankKeys(NamedTuple):
    """The plain keys of experiments.rank."""

    methods: list[str] = [
        "minimax_4",
        "evaluation",
        "random_playouts",
        "mm1_playouts",
        "minimax_2",
        "minimax_2_playouts",
    ]  # noqa: RUF012
    reference: str = "minimax_4"
    baseline: str | None = None
    ties_evaluation: Annotated[float, Interval(ge=0, le=1e9)] = 0.0
    ties_win_rate: Annotated[float, Interval(ge=0, le=1)] = 0.0
    board_ply: Annotated[int, Interval(ge=0, le=1_000_000)] = 31
    seed: Seed = 1
    threads: Threads = None


class Ranking(NamedTuple):
    """What a run is about, beside its plain keys.

    data : the positions; methods : the keys of each method; definitions : what decides what each says, JSON values
    published : the keys of the reference that the document has, where an experiment names it
    """

    data: Any
    methods: dict[str, Any]
    definitions: dict[str, Any]
    published: Any = None


def rank_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.rank.

    The identity of a run is what its positions come from, with the seed of playouts. Methods have theirs, under which
    their values are kept, and what judges ranks or plots them decides no value: neither makes another run.
    """
    from experiments.ranking.methods import checked_method
    from experiments.ranking.positions import DataKeys, check_data, check_source

    keys = typed(RankKeys, {key: value for key, value in plain.items() if key not in (*GROUPS, *OF_EXPERIMENTS)})
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    game, game_identity = two_player_game(plain)
    data = typed(DataKeys, plain["data"], "data")
    check_data(data, game_identity["name"])
    check_source(data, game_identity["name"], study.document)
    _check_names(keys, list(plain["method"]))
    if given is not None:
        _check_no_idle_methods(keys, given)
    found = {name: checked_method(name, plain["method"][name], game) for name in keys.methods}
    definitions = {name: as_json(identity) for name, (_, identity) in found.items()}
    identity = {
        "values_by_method": True,  # earlier versions kept them by position, in folders that are refused by this key
        "game": game_identity,
        "seed": keys.seed,
        "data": data.identity(),
    }
    ranking = Ranking(data, {name: own for name, (own, _) in found.items()}, definitions, _published(plain, game))
    slug = f"{game_identity['name']} ranks of moves"
    return Checked(as_json(identity), slug, keys, game=game, policy=ranking, study=study)


def _published(plain: Plain, game: Any) -> Any:
    """The keys of the reference that an experiment says its document has; None where it says nothing."""
    from experiments.ranking.methods import checked_method

    own = plain.get("scales", {}).get(DOCUMENT, {}).get("published")
    return None if own is None else checked_method("scales.document.published", own, game)[0]


def _check_names(keys: RankKeys, known: list[str]) -> None:
    """Refuse methods that there are not, twice the same, too few, and a reference or baseline that is none of them."""
    for name in keys.methods:
        if name not in known:
            raise BadInput(f"methods: {name} is not known; there are: {', '.join(known)} (+method.NAME=... adds one)")
    if len(set(keys.methods)) < len(keys.methods):
        raise BadInput(f"methods=[{','.join(keys.methods)}]: one of them is named twice")
    for key in ("reference", "baseline"):
        name = getattr(keys, key)
        if name is not None and name not in keys.methods:
            raise BadInput(f"{key}={name}: must be one of methods: {', '.join(keys.methods) or 'there is none'}")
    if len(keys.methods) < 2:
        raise BadInput(f"methods=[{','.join(keys.methods)}]: give another one beside the reference")
    if keys.baseline == keys.reference:
        raise BadInput(f"baseline={keys.baseline}: that is the reference")


def _check_no_idle_methods(keys: RankKeys, given: Given) -> None:
    """Refuse a method that the command line defines, and that is none of those that rank."""
    for key in sorted(given.keys):
        group, _, rest = key.partition(".")
        name = rest.partition(".")[0]
        if group == "method" and name not in keys.methods and name not in given.defaults()["method"]:
            raise BadInput(f"{key} does not count: methods=[{','.join(keys.methods)}] does not name {name}")


def prepare(config: Checked) -> None:
    """Refuse games with chance, files that are broken, and sets of positions that are empty."""
    from experiments.ranking.positions import boards_of, check_file
    from gpumcts.players.game_checks import check_no_chance

    check_file(config.policy.data)
    check_no_chance(config.game, f"game={config.identity['game']['name']}")
    boards_of(config.game, config.policy.data, config.keys.seed)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Rank, or go on; returns the summary."""
    return resume(config, run, Ranks)


class Ranks:
    """The values of all moves of all positions by all methods, and the report of them: a ``Job``."""

    def __init__(self, config: Checked, folder: Path) -> None:
        from experiments.ranking.positions import boards_of
        from experiments.ranking.values import Values

        self._config, self._folder = config, folder
        self._positions = boards_of(config.game, config.policy.data, config.keys.seed)
        self._boards = self._positions.boards
        self._values = Values(folder, self._boards, config.policy.definitions)
        self.total, self.kept = len(self._boards), self._values.folder

    def done(self) -> int:
        """As ``Job.done``."""
        return self._values.done()

    def go_on(self, stop: threading.Event, shown: Bar) -> None:
        """As ``Job.go_on``: position by position, by the methods that have said nothing of it."""
        from experiments.ranking.methods import method_of

        keys, missing = self._config.policy.methods, [self._values.missing(i) for i in range(self.total)]
        methods = {}
        for name in dict.fromkeys(name for names in missing for name in names):
            shown.note(f"{name}: first call")
            methods[name] = method_of(keys[name], self._config.game, self._config.keys.seed, self._config.threads)
            methods[name].warm(next(b for b, names in zip(self._boards, missing, strict=True) if name in names))
        for number, names in enumerate(missing):
            if not names:
                continue
            shown.note(f"position {number + 1}")
            for name in names:
                if stop.is_set():
                    raise KeyboardInterrupt
                self._values.add(name, number, methods[name].of(self._boards[number], stop))
            shown.advance(1)

    def report(self) -> Reported:
        """As ``Job.report``."""
        from experiments.ranking.conditions import conditions, departures
        from experiments.ranking.report import FILES, brief, tables, write_report
        from experiments.ranking.summary import summarise

        lines, positions = self._lines(), self._positions
        summary = {
            **summarise(lines, self._config),
            "left_out": {"over": positions.over, "one_move": positions.forced},
            "conditions": conditions(self._config, self._config.policy.data, positions),
            "departures": departures(self._folder, self._of_scale()),
        }
        write_report(self._config, lines, summary, self._folder)
        files = f"{FILES} and {self.kept.name}/ in {here(self._folder)}"
        return Reported(summary, brief(summary), [*tables(summary), *summary["departures"], files])

    def _of_scale(self) -> dict[str, Any]:
        """What the scales of an experiment may set, as it is here."""
        keys, ranking = self._config.keys, self._config.policy
        playouts = {name: getattr(own, "playouts", None) for name, own in ranking.methods.items()}
        return {**ranking.data._asdict(), "reference": keys.reference, **playouts}

    def _lines(self) -> list[dict[str, Any]]:
        """All that is known of each position."""
        from experiments.ranking.methods import PlayoutsKeys, checkpoints
        from experiments.ranking.positions import move_texts

        plays = {name: keys for name, keys in self._config.policy.methods.items() if isinstance(keys, PlayoutsKeys)}
        points = {name: checkpoints(keys.playouts) for name, keys in plays.items()}
        return [
            {**self._values.of(number, points), "moves": move_texts(self._config.game, board.words)}
            for number, board in enumerate(self._boards)
        ]


def numbers(config: Checked) -> tuple[str, ...]:
    """Those of the summary that are there whatever the values are; correlations have intervals and are none."""
    others = (name for name in config.keys.methods if name != config.keys.reference)
    counts = "boards", "ranked", "games", "moves", "left_out.over", "left_out.one_move"
    return *counts, *(f"methods.{name}.seconds_a_move" for name in others), "yardstick_seconds", "seconds", "seed"


COMMAND = Command(
    "rank",
    rank_config,
    work,
    prepare,
    numbers=numbers,
    results=Presentation(rank_cells, partial=False, keys=RankKeys),
    resumes=True,
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
