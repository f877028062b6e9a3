"""Search one position and show what the search thinks of every move.

    python -m experiments.search moves="f5 d6 c3" budget.iterations=10000
    python -m experiments.search backup=accelerated backup.decay=0.9999 playout=minimax

The board, then the ten most visited moves with their visits, the value for the player to move (0 loses, 1 wins), and
the most visited line that begins with each. Last the parts of the search with the seconds that its threads spent on
each.
"""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from experiments.analysis.plots import speed_panel
from experiments.analysis.result_table import search_cells, search_measure
from experiments.app.command import Command, Run
from experiments.config.command_options import SearchKeys
from experiments.config.one_tree import leaves_told
from experiments.config.schema import (
    OF_EXPERIMENTS,
    Checked,
    Given,
    Plain,
    Study,
    as_json,
    check_policies,
    game_value,
    named,
    top_keys,
)
from experiments.config.validation import typed
from experiments.players.contract import GROUPS
from experiments.players.kinds.uct import searching_player
from experiments.players.registry import label
from experiments.runs.presentation import Presentation
from experiments.runs.run_directory import SUMMARY
from experiments.terminal.console import bar, here, say, seconds_text, shortened, show, stop_on_interrupt, table
from gpumcts.errors import BadInput
from gpumcts.kernels import engines

INTERRUPTED = "interrupted"  # why a search ends early, where nothing else ended it
MAX_MOVES = 10  # as shown, the most visited; the summary has all
LINE_MOVES = 8  # of a principal variation, as shown; the summary has all of it
WORTH_TELLING = 1.0  # seconds of a search whose threads had nothing to do
ENOUGH_LEAVES = 1024  # of a batch, for threads to share a tree in any game
ONE_WORKED = 1.1  # threads at work, on average, where one did it all


def search_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.search; engine and threads count, since it measures speed."""
    keys = top_keys(SearchKeys, plain, ("game", *GROUPS, "engine", *OF_EXPERIMENTS))
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    game, game_identity = game_value(plain)
    player = searching_player(plain)
    check_policies(game, player.policy)
    if player.settings.reuse:
        raise BadInput("search.reuse=true: experiments.search searches one position; match, gtp and uci keep trees")
    engine = named(plain["engine"], "engine", engines.NAMES)
    if player.budget.seconds and (engine == "device" or player.settings.table is not None):
        key = "engine=device" if engine == "device" else f"search.table={player.settings.table}"
        raise BadInput(
            f"{key}: a search by the clock grows a tree by slices, on engine=cpu or cuda; or take budget=iterations"
        )
    identity = {"game": game_identity, **player.identity, "engine": engine, **keys._asdict()}
    slug = f"{game_identity['name']} {label(player.identity)}"
    return Checked(as_json(identity), slug, keys, game=game, player=player, engine=engine, study=study, trees_at_once=1)


def prepare(config: Checked) -> None:
    """Refuse an engine that is not there, a budget that does not fit, illegal moves, and a position of chance."""
    from experiments.config.positions import position_of
    from experiments.players.preflight import check_engine, check_memory

    check_engine(config)
    check_memory(config)
    _check_decides(config, position_of(config))


def _check_decides(config: Checked, root: Any) -> None:
    """Raise BadInput where chance is to move in ``root`` (uint64[W]): a search decides for a player."""
    from gpumcts.games.contract import CHANCE
    from gpumcts.kernels.batch import Rules

    if Rules(config.game).movers(root[None])[0] == CHANCE:
        named = f"moves={config.keys.moves}" if config.keys.moves else f"position={config.keys.position or 'null'}"
        raise BadInput(f"{named}: chance is to move there, and a search decides for a player; add an outcome to moves=")


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Search; returns the summary."""
    import numpy as np

    from experiments.config.positions import position_of
    from experiments.players.clock_budget import bind_iterations, bound_iterations
    from experiments.players.player_factory import searcher
    from experiments.players.run_engine import played_by
    from gpumcts.rng import key_of

    assert config.player is not None
    root = position_of(config)
    title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else config.slug
    by_clock = config.player.budget.seconds
    iterations = bound_iterations(run.folder) if by_clock else config.player.iterations
    asked = iterations or by_clock or 0
    with stop_on_interrupt("stopping ...") as stop, bar(title, asked) as shown:
        search = searcher(config, config.player)
        begin, processor = time.perf_counter(), time.process_time()
        keys = np.array([key_of(config.keys.seed, 0, 0)], np.uint64)
        if iterations is None:
            found, cut = _searched_by_clock(search, root, keys, asked, stop, shown.advance)
        else:
            found, cut = _searched(search, root, keys, iterations, stop, shown.advance)
        seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    interrupted = cut == INTERRUPTED
    if iterations is None and not cut:
        bind_iterations(run.folder, asked, found.iterations)
    if cut and not interrupted:
        say(f"{title}: the search ends after {found.iterations:,} iterations: {cut}")
    iterations, settings = found.iterations, config.player.settings
    if settings.solve:
        iterations = int(found.iterations_made(settings.playouts_per_leaf, settings.root_playouts)[0])
    summary = {
        "position": _position_text(config, root),
        "best": _move_text(config, root, int(found.decide()[0])),
        "moves": _moves(config, root, found),
        **({"proof": _proof(config, root, found)} if settings.solve else {}),
        "iterations": iterations,
        "playouts": iterations * settings.playouts_per_leaf,
        "iterations_per_second": iterations / seconds,
        "seconds": seconds,
        "processor_seconds": processor,
        "time": _time(found.times),
        "seed": config.keys.seed,
        "engine": played_by(config, search),
        **({"interrupted": True} if interrupted else {"stopped_by": cut} if cut else {}),
    }
    if run.of > 1:
        speed = f"{shortened(summary['iterations_per_second'])} iterations/s{', interrupted' if interrupted else ''}"
        say(f"{title}: {summary['best']}  {speed}  {here(run.folder)}")
    else:
        show(*_shown(config, root, summary), f"folder: {here(run.folder)}")
    return summary


def _searched(
    search: Any, root: Any, keys: Any, iterations: int, stop: threading.Event, advance: Callable[[float], None]
) -> tuple[Any, str]:
    """What a search of ``root`` (uint64[W]) finds, and why it ended before it had all its iterations; empty if not."""
    from gpumcts.tree.host.stopped_search import SearchStopped

    try:
        return search.search(root[None], keys, iterations, stop, advance), ""
    except SearchStopped as stopped:
        return stopped.found, INTERRUPTED if stopped.found.iterations < iterations else ""


def _searched_by_clock(
    search: Any, root: Any, keys: Any, seconds: float, stop: threading.Event, advance: Callable[[float], None]
) -> tuple[Any, str]:
    """As ``_searched``, for so many seconds of wall-clock time; memory may end it too."""
    from gpumcts.tree.incremental_search import IncrementalSearch

    grown, last = IncrementalSearch(search, root, keys[0]), time.perf_counter()
    for _ in grown.slices(None, seconds):
        now = time.perf_counter()
        advance(now - last)
        last = now
        if stop.is_set():
            break
    grown.keep()
    return grown.found(), INTERRUPTED if stop.is_set() else grown.stopped_by


def _time(times: Any) -> dict[str, Any]:
    """Seconds and shares in [0, 1] of the parts of a search, of all its threads together, and of a device at work."""
    shares = times.shares()
    parts = {name: {"seconds": seconds, "share": shares[name]} for name, seconds in times.parts().items()}
    return {"threads": times.threads, "seconds": times.seconds, "parts": parts, "device_seconds": times.device}


def _state(config: Checked, root: Any) -> Any:
    from gpumcts.kernels.batch import Rules

    return Rules(config.game).state(root)


def _move_text(config: Checked, root: Any, move: int) -> str:
    from gpumcts.games.contract import move_text

    return str(move_text(config.game, _state(config, root), move))


def _position_text(config: Checked, root: Any) -> str:
    import numpy as np

    from gpumcts.games.contract import position_text

    with np.errstate(over="ignore"):
        return str(position_text(config.game, _state(config, root)))


def _moves(config: Checked, root: Any, found: Any) -> list[dict[str, Any]]:
    """The root's moves, most visited first: move, visits, value in [0, 1] for the player to move, variation.

    With ``search.solve`` also what is proven of each, for that player; None if nothing is.
    """
    from gpumcts.tree.solve import PROOF_NAMES

    assert config.player is not None
    rows = []
    for child in found.root_children(0):
        line = _line_text(config, root, found.principal_variation(0, child.move))
        row = {"move": line[0], "visits": child.visits, "value": child.value, "variation": " ".join(line)}
        rows.append(row | ({"proof": PROOF_NAMES.get(child.proof)} if config.player.settings.solve else {}))
    return rows


def _proof(config: Checked, root: Any, found: Any) -> str | None:
    """What the position is proven to be for the player to move, ``win``, ``draw`` or ``loss``; None if it is not."""
    from gpumcts.kernels.batch import Rules
    from gpumcts.tree.solve import DRAW, LOSS, PROOF_NAMES, WIN

    proofs = [child.proof for child in found.root_children(0)]
    if WIN in proofs:
        return PROOF_NAMES[WIN]
    if 0 in proofs or len(proofs) < int(Rules(config.game).count_moves(root[None])[0]):
        return None
    return PROOF_NAMES[DRAW if DRAW in proofs else LOSS]


def _line_text(config: Checked, root: Any, moves: list[int]) -> list[str]:
    import numpy as np

    from gpumcts.games.contract import move_text, play

    state, texts = _state(config, root), []
    with np.errstate(over="ignore"):
        for move in moves:
            texts.append(str(move_text(config.game, state, move)))
            state = play(config.game, state, move)
    return texts


def _shown(config: Checked, root: Any, summary: dict[str, Any]) -> list[Any]:
    import numpy as np

    from gpumcts.games.contract import board_text

    with np.errstate(over="ignore"):
        board = str(board_text(config.game, _state(config, root)))
    assert config.player is not None
    settings = config.player.settings
    leaves = leaves_told(min(settings.leaves_per_tree, max(1, summary["iterations"] // settings.roots)))
    speed = f"{summary['iterations']:,} iterations{leaves}, {shortened(summary['iterations_per_second'])} iterations/s"
    cut = "interrupted; by then it " if summary.get("interrupted") else ""
    told = f"{cut}plays {summary['best']}; {speed}, seed {summary['seed']}"
    time = summary["time"]
    return [
        board,
        _table_of_moves(summary["moves"], summary["best"]),
        *_others(summary["moves"], summary["best"]),
        *_proven(config, summary),
        told,
        _time_shown(time),
        *_idle(time, config.player.settings),
    ]


def _table_of_moves(moves: list[dict[str, Any]], best: str) -> Any:
    """The most visited moves and the one played; with what is proven of them where that was asked for."""
    columns = {"move": "left", "visits": "right", "value": "right", "principal variation": "left"}
    rows, listed = [], _listed(moves, best)
    for row in listed:
        line = " ".join(row["variation"].split()[:LINE_MOVES])
        rows.append([row["move"], f"{row['visits']:,}", f"{row['value']:.4f}", line])
    if any("proof" in row for row in moves):
        columns = {"move": "left", "visits": "right", "value": "right", "proof": "left", "principal variation": "left"}
        rows = [[*cells[:3], row["proof"] or "", cells[3]] for cells, row in zip(rows, listed, strict=True)]
    return table("", columns, rows)


def _proven(config: Checked, summary: dict[str, Any]) -> list[str]:
    """A line where it is proven who wins, which ends a search and decides before visits do."""
    if summary.get("proof") is None:
        return []
    assert config.player is not None
    made, asked = summary["iterations"], 0 if config.player.budget.seconds else config.player.iterations or 0
    ended = f"; the search ended after {made:,} of {asked:,} iterations" if made < asked else ""
    return [f"proven: a {summary['proof']} for the player to move{ended}"]


def _idle(time: dict[str, Any], settings: Any) -> list[str]:
    """A line where one thread of several did all the work for some seconds, and larger batches would change that."""
    threads, waiting = time["threads"], time["parts"]["waiting"]["share"]
    leaves = settings.leaves_per_tree if settings.table is None and settings.batches_in_flight == 1 else ENOUGH_LEAVES
    idle = threads > 1 and threads * (1 - waiting) <= ONE_WORKED and time["device_seconds"] is None
    if not idle or time["seconds"] < WORTH_TELLING or leaves >= ENOUGH_LEAVES:
        return []
    return [f"one of {threads} threads did the work; they share a tree in larger batches (search.leaves_per_tree)"]


def _listed(moves: list[dict[str, Any]], best: str) -> list[dict[str, Any]]:
    """The most visited moves; the one played too where others have as many visits, or visits do not decide."""
    return moves[:MAX_MOVES] + [row for row in moves[MAX_MOVES:] if row["move"] == best]


def _others(moves: list[dict[str, Any]], best: str) -> list[str]:
    """A line for the moves that the table leaves out."""
    others = [row for row in moves[MAX_MOVES:] if row["move"] != best]
    if not others:
        return []
    visits = sum(row["visits"] for row in others)
    number = f"{len(others)} others" if len(others) > 1 else "another move"
    return [f"and {number} with {visits:,} visits, in {SUMMARY}"]


def _time_shown(time: dict[str, Any]) -> Any:
    """The parts of a search with their time and shares, and those of a device."""
    rows = [[name, seconds_text(part["seconds"]), f"{100 * part['share']:.1f}"] for name, part in time["parts"].items()]
    if (device := time["device_seconds"]) is not None:
        rows.append(["device at work", seconds_text(device), f"{100 * device / time['seconds']:.1f}"])
    threads = "" if time["threads"] == 1 else f" x {time['threads']} threads"
    columns = {f"time: {seconds_text(time['seconds'])}{threads}": "left", "spent": "right", "%": "right"}
    return table("", columns, rows)


def numbers(config: Checked) -> tuple[str, ...]:
    """Those of the summary, the parts of the time among them."""
    from gpumcts.tree.time_split import TimeSplit

    names = TimeSplit(0.0, 1, *[0.0] * 6).parts()
    parts = (f"time.parts.{name}.{key}" for name in names for key in ("seconds", "share"))
    times = "time.threads", "time.seconds", *parts, "time.device_seconds"
    return "iterations", "playouts", "iterations_per_second", "seconds", "processor_seconds", *times, "seed"


COMMAND = Command(
    "search",
    search_config,
    work,
    prepare,
    numbers=numbers,
    results=Presentation(search_cells, speed_panel("iterations_per_second"), measure=search_measure, keys=SearchKeys),
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
