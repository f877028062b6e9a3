"""What a search on the host compiles: its steps, and the loop over iterations of one position's trees, side by side.

The first search of whoever makes a search is of one position: see ``players.construction``. What other numbers of trees
need beside that is compiled when they are searched, and so is what keeps several batches in flight.
"""

from functools import partial
from typing import Any, NamedTuple

import numba
from numba import types

from gpumcts.compiling.class_names import own_classes
from gpumcts.compiling.stage import results
from gpumcts.jit import Source, separate, type_of_steps
from gpumcts.kernels.cpu import evaluate_source
from gpumcts.tree.host.sharing import team_for, threads_share_trees
from gpumcts.tree.host.team_steps import run_coordinator, run_worker
from gpumcts.tree.iteration.advance import NO_WATCH, advance_block
from gpumcts.tree.iteration.steps import Steps, back_up_part_source, back_up_source, expand_source, select_source
from gpumcts.tree.root_table import prepare_table
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.selection.contract import learner

SPAN = types.UniTuple(types.int64, 2)
WORDS_OF_TREES, KEYS = types.uint64[:, ::1], types.uint64[::1]


class Compiled(NamedTuple):
    """The compiled steps of a search.

    steps : without the evaluation where an engine plays
    back_up_part : where the threads share a tree; else None
    """

    steps: Steps
    back_up_part: Any


def compiled(parts: SearchParts, threads: int, engine_plays: bool) -> Compiled:
    """The steps of a search, compiled or loaded from the cache, by as many processes as it has threads.

    engine_plays : whether an engine plays the leaves; else the loop of one position is made ready too, where each batch
        is played before the next is selected
    """
    settings = parts.settings
    in_loop = not engine_plays and settings.batches_in_flight == 1
    shared = in_loop and threads_share_trees(settings, threads, settings.roots, beside_device=False)
    jobs: dict[str, Any] = {"expand": _expand}
    if shared:
        jobs["coordinator"] = partial(_coordinator, threads=threads)
    jobs |= {"select": _select, "evaluate": None if engine_plays else _evaluate}
    if in_loop:
        jobs["loop"] = partial(_worker, threads=threads) if shared else _loop
    jobs |= {"back_up": _back_up, "table": _table, "back_up_part": _back_up_part if shared else None}
    present = {name: partial(job, parts) for name, job in jobs.items() if job is not None}
    sharing = not own_classes(parts.method)
    found = dict(zip(present, results(list(present.values()), threads, sharing), strict=True))
    steps = Steps(found["select"], found["expand"], found.get("evaluate"), found["back_up"])
    return Compiled(steps, found.get("back_up_part"))


# --------------------------------------------------------------------------------------------- jobs, for any process


def _select(parts: SearchParts) -> Any:
    return separate(*_select_source(parts))


def _expand(parts: SearchParts) -> Any:
    return separate(*_expand_source(parts))


def _evaluate(parts: SearchParts) -> Any:
    return separate(*evaluate_source(parts.played_game, parts.policy))


def _back_up(parts: SearchParts) -> Any:
    return separate(*_back_up_source(parts))


def _back_up_part(parts: SearchParts) -> Any:
    return separate(*_back_up_part_source(parts))


def _table(parts: SearchParts) -> None:
    prepare_table(parts.operator, parts.empty_forest(1, 1))


def _loop(parts: SearchParts) -> None:
    method, forest, batch, watch = _kinds(parts)
    kinds = (_steps_type(parts), method, forest, WORDS_OF_TREES, KEYS, SPAN, SPAN, types.int64, batch, watch)
    advance_block.prepare((*kinds, types.int64[::1]), "the loop of a search")


def _coordinator(parts: SearchParts, threads: int) -> None:
    method, forest, batch, watch = _kinds(parts)
    team = numba.typeof(team_for(parts, threads, beside_device=False))
    elsewhere = (types.int64[::1], types.int64[::1], types.float64[:, ::1])
    kinds = (_steps_type(parts, shared=True), method, forest, WORDS_OF_TREES, KEYS, SPAN, types.int64, batch, watch)
    run_coordinator.prepare((*kinds, team, *elsewhere, types.int64[:, ::1]), "the loop of threads that share a tree")


def _worker(parts: SearchParts, threads: int) -> None:
    method, forest, batch, _ = _kinds(parts)
    team = numba.typeof(team_for(parts, threads, beside_device=False))
    kinds = (_steps_type(parts, shared=True), method, forest, batch, team, types.int64[:, ::1])
    run_worker.prepare(kinds, "the threads that share a tree")


# ---------------------------------------------------------------------------------------------------- types of them


def _select_source(parts: SearchParts) -> Source:
    return select_source(parts.rule, parts.operator, parts.empty_forest(1, 1), parts.switches, parts.batch(1))


def _expand_source(parts: SearchParts) -> Source:
    return expand_source(parts.game, parts.empty_forest(1, 1), parts.switches, parts.batch(1))


def _back_up_source(parts: SearchParts) -> Source:
    types_of = parts.empty_forest(1, 1), parts.switches, parts.batch(1)
    return back_up_source(learner(parts.rule), parts.operator, *types_of)


def _back_up_part_source(parts: SearchParts) -> Source:
    return back_up_part_source(parts.operator, parts.empty_forest(1, 1), parts.switches, parts.batch(1))


def _steps_type(parts: SearchParts, shared: bool = False) -> Any:
    evaluation = evaluate_source(parts.played_game, parts.policy)
    sources = [_select_source(parts), _expand_source(parts), evaluation, _back_up_source(parts)]
    signatures = [source.signature for source in sources]
    return type_of_steps(Steps, [*signatures, _back_up_part_source(parts).signature if shared else None])


def _kinds(parts: SearchParts) -> list[Any]:
    """The types of method, forest, batch and watch."""
    return [numba.typeof(value) for value in (parts.method, parts.empty_forest(1, 1), parts.batch(1), NO_WATCH)]
