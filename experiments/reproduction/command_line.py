"""The command ``python -m experiments.reproduce``: its options, its list, and what each does."""

import argparse
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from experiments.config.command_options import MAX_THREADS
from experiments.config.scales import DOCUMENT, SCALES
from experiments.reproduction.catalogue import item_of, items
from experiments.reproduction.cells import RESULTS, cells_below
from experiments.reproduction.derived import every_derived
from experiments.reproduction.game_files import lacking
from experiments.reproduction.gathering import gather
from experiments.reproduction.schedule import Task, keep, missing, pack, tasks, unfit_archives, work
from experiments.terminal.console import counted, say, show, table
from gpumcts.errors import BadInput

BAD_INPUT, INTERRUPTED = 2, 130
KEYS = ("item", "run", "scale")
ACTIONS = ("list", "all", "collect", "again", "pack", "pages", "check")
ENGINES = ("cpu", "cuda", "auto")
MISSING, NEXT = "core hours missing", 5
MAX_HOURS = 24 * 365.0
WHAT = (
    "Without options: how much of each paper is done, the core hours of the rest, and what comes next. --list lists "
    "every run with its name, state, verdicts and core hours, or those of item=. "
    "With item= or run=: make what is missing of it. Runs stop and go on."
)
LISTING = "python -m experiments.reproduce --list lists the names of all runs"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadInput(f"experiments.reproduce: {message}; --help lists the options")


def parser() -> argparse.ArgumentParser:
    """The options."""
    found = _Parser(prog="python -m experiments.reproduce", description=WHAT, add_help=True)
    found.add_argument(
        "keys",
        nargs="*",
        metavar="key=value",
        help="item=PAPER/ITEM; run=PAPER/ITEM/RUN, the name that --list prints, or run=RUN beside item=; "
        f"scale is one of {', '.join(SCALES)}",
    )
    found.add_argument("--list", action="store_true", help="list every run, or those of item=, and run none")
    found.add_argument("--all", action="store_true", help="run everything that is missing, in order")
    found.add_argument(
        "--hours", type=float, default=math.inf, help="stop after so many hours; a run goes on next time"
    )
    found.add_argument("--threads", type=int, default=None, help="threads of each run")
    found.add_argument("--engine", default=None, help="play matches by this engine, and leave out other runs")
    found.add_argument("--collect", type=Path, metavar="FOLDER", help="write the cells of finished runs in a folder")
    found.add_argument(
        "--again",
        nargs="?",
        const="",
        metavar="N",
        help="make the first ten games of N random cells again, with item= or run= of all its cells, or of N of them",
    )
    found.add_argument("--pack", action="store_true", help="keep small unfinished runs in results/unfinished")
    found.add_argument("--pages", action="store_true", help="write docs/papers")
    found.add_argument("--check", action="store_true", help="check results/ and docs/papers")
    return found


def main(words: Sequence[str]) -> int:
    """Run the command line; returns the exit code: 0, 1 where a check fails, 2 for bad input, 130 for Ctrl-C."""
    try:
        return _main(words)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return INTERRUPTED


def _main(words: Sequence[str]) -> int:
    given = parser().parse_intermixed_args(list(words))
    if given.again and "=" in given.again:  # a key behind --again
        given.keys, given.again = [*given.keys, given.again], ""
    keys = _keys(given.keys)
    if not given.hours > 0 or given.hours > MAX_HOURS and given.hours != math.inf:
        raise BadInput(f"--hours {given.hours:g}: must be greater than 0 and at most {MAX_HOURS:g}")
    if given.threads is not None and not 1 <= given.threads <= MAX_THREADS:
        raise BadInput(f"--threads {given.threads}: must be an integer in [1, {MAX_THREADS}]")
    if given.engine is not None and given.engine not in ENGINES:
        raise BadInput(f"--engine {given.engine}: must be one of {', '.join(ENGINES)}")
    named = bool(keys.keys() & {"item", "run"})
    _check_together(given, keys, named)
    selected = [task for task in _selected(keys) if given.engine is None or task.has_engine]
    if given.check:
        return check()
    if given.pages:
        from experiments.reproduction.pages import write_pages

        for cell in every_derived(RESULTS):
            keep(cell, RESULTS)
        for path in write_pages():
            say(f"wrote {path}")
        return 0
    if given.again is not None:
        return again(_number_of_cells(given.again, named), selected if named else None)
    if given.collect is not None:
        return collect(selected if named else [], given.collect)
    if given.pack:
        for path in pack(selected):
            say(f"packed {path}")
        return 0
    if given.list:
        listing(selected)
        return 0
    if given.all or named:
        end = time.monotonic() + 3600 * given.hours if given.hours < math.inf else math.inf
        return run(selected if named else None, keys.get("scale", DOCUMENT), end, given)
    overview(selected)
    return 0


def _check_together(given: argparse.Namespace, keys: dict[str, str], named: bool) -> None:
    """Refuse two things to do at once, and what counts for runs alone where none is made."""
    asked = [f"--{name}" for name in ACTIONS if getattr(given, name) not in (None, False)]
    if len(asked) > 1:
        raise BadInput(f"{asked[1]} does not go with {asked[0]}; give one of them")
    if asked == ["--all"] or named and not asked:
        return
    idle = {"--hours": given.hours < math.inf, "--threads": given.threads is not None, "scale": "scale" in keys}
    idle["--engine"] = given.engine is not None and asked not in ([], ["--list"])  # which show the runs that it plays
    for word in (word for word, there in idle.items() if there):
        raise BadInput(f"{word} counts where runs are made: with item=... or run=..., or with --all")
    if named and asked[0] in ("--check", "--pages"):
        raise BadInput(f"{asked[0]} is of all items: it goes with no {' and no '.join(f'{key}=' for key in keys)}")


def _number_of_cells(word: str, named: bool) -> int | None:
    """How many cells ``--again`` makes; None for all of those that are named."""
    if not word and named:
        return None
    if not word:
        raise BadInput("--again: give a number of cells, or item=... or run=... for all of its cells")
    if not word.isdecimal() or int(word) < 1:
        raise BadInput(f"--again {word}: must be an integer of at least 1")
    return int(word)


def _keys(words: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in KEYS:
            raise BadInput(f"{word}: must be {', '.join(f'{key}=...' for key in KEYS)}")
        if key in found:
            raise BadInput(f"{word}: {key} is given twice; leave one out")
        found[key] = value
    if found.get("scale", DOCUMENT) not in SCALES:
        raise BadInput(f"scale={found['scale']}: must be {' or '.join(SCALES)}")
    return found


def _selected(keys: dict[str, str]) -> list[Task]:
    every = tasks()
    if "run" in keys:
        return [_named(every, keys["run"], keys.get("item"))]
    if "item" not in keys:
        return every
    paper, item = item_of(keys["item"])
    return [task for task in every if (task.paper.name, task.item.name) == (paper.name, item.name)]


def _named(every: Sequence[Task], run: str, item: str | None) -> Task:
    """The run of ``run=``: the name that the list prints, or, beside ``item=``, its last word."""
    if item is not None:
        item_of(item)
    elif "/" not in run:
        raise BadInput(f"run={run}: needs item=PAPER/ITEM, or its whole name PAPER/ITEM/{run}; {LISTING}")
    whole = run if "/" in run else f"{item}/{run}"
    for task in every:
        if task.name == whole and item in (None, f"{task.paper.name}/{task.item.name}"):
            return task
    raise BadInput(f"run={run}: there is no such run{f' of item={item}' if item else ''}; {LISTING}")


# ------------------------------------------------------------------------------------------------------------- the list


def overview(selected: Sequence[Task]) -> None:
    """Show on a screen how much of each paper is done, and the runs that come next."""
    heads = {"paper": "left", "items": "right", "runs": "right", "done": "right", "begun": "right", MISSING: "right"}
    papers: dict[str, list[Task]] = {}
    for task in selected:
        papers.setdefault(task.paper.name, []).append(task)
    rows = []
    for name, some in papers.items():
        counts = [len({task.item.name for task in some}), len(some), sum(task.done for task in some)]
        begun = sum(task.unfinished is not None for task in some)
        rows.append([name, *map(str, [*counts, begun]), f"{_hours_left(some):,.1f}"])
    show(table("the papers", heads, rows))
    if following := [task for task in selected if not task.done and task.lacks is None][:NEXT]:
        names = [[task.name, "begun" if task.unfinished else "missing", f"{task.run.hours:g}"] for task in following]
        show(table("what --all runs next", {"run": "left", "state": "left", "core hours": "right"}, names))
    _sum(selected)
    say("--list lists every run; item=... or run=... makes what is missing of it")


def _hours_left(some: Sequence[Task]) -> float:
    return sum(task.run.hours for task in some if not task.done)


def _sum(selected: Sequence[Task]) -> None:
    done = sum(task.done for task in selected)
    say(f"{done} of {len(selected)} runs are done; {_hours_left(selected):,.0f} core hours are missing")


def listing(selected: Sequence[Task]) -> None:
    """Show the runs in order: their state, the verdicts of their cells, their hours."""
    heads = {"run": "left", "state": "left", "verdicts": "left", "core hours": "right"}
    rows = []
    for task in selected:
        judged = Counter(cell.verdict for cell in task.cells)
        verdicts = ", ".join(f"{verdict} {count}" for verdict, count in judged.items())
        state = "done" if task.done else "unfinished" if task.unfinished else "missing"
        rows.append([task.name, state, verdicts, f"{task.run.hours:g}"])
    show(table("runs of the papers, the most worth while first", heads, rows))
    _sum(selected)


# ------------------------------------------------------------------------------------------------------------- the runs


def run(selected: Sequence[Task] | None, scale: str, end: float, given: argparse.Namespace) -> int:
    """Do the runs that are missing, of an item or of all, until the time is over."""
    waiting: Iterable[Task] = missing(given.hours) if selected is None else [t for t in selected if not t.done]
    done = 0
    for task in waiting:
        if time.monotonic() >= end:
            break
        if given.engine is not None and not task.has_engine:
            continue
        say(f"{task.name}: about {task.run.hours:g} core hours")
        if not work(task, scale, end, given.threads, given.engine):
            say(f"{task.name}: the time is over; the same command goes on")
            break
        done += 1
    if selected and all(task.done for task in selected):
        if not done:
            listing(selected)
        say("nothing is missing: what is named is done; --again beside it makes its cells' first ten games once more")
        return 0
    say(f"{counted(done, 'run')} finished" if done else "nothing was finished")
    return 0


def collect(selected: Sequence[Task], folder: Path) -> int:
    """Write the cells of the finished runs of an item that lie in a folder."""
    if not selected:
        raise BadInput("--collect needs item=..., whose runs lie in the folder")
    if not folder.is_dir():
        raise BadInput(f"--collect {folder}: there is no such folder")
    for cell in gather(selected[0].paper, selected[0].item, folder):
        say(f"{cell.verdict}: {keep(cell, RESULTS).relative_to(RESULTS.parent)}")
    return 0


def again(number: int | None, selected: Sequence[Task] | None) -> int:
    """Make the first ten games of random cells again, of some runs' or of all; 1 where a digest differs or lacks.

    number : of cells, None for all
    """
    from experiments.reproduction.again import first_ten, run_of

    if selected is None:  # what is named is refused by the name of its file, what is drawn is drawn from the rest
        some = [cell for cell in cells_below() if lacking(run_of(cell).command) is None]
    else:
        some = [cell for task in selected for cell in task.cells]
    if not some:
        raise BadInput("--again: what is named has no cell yet")
    chosen = some if number is None else random.Random().sample(some, min(number, len(some)))
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        for index, cell in enumerate(chosen):
            try:
                same = first_ten(cell, Path(place, str(index))) == cell.digests.first_ten
                say(f"{'equal' if same else 'DIFFERENT'}: {cell.path}")
            except BadInput as error:  # of one cell; the others are made again
                same = False
                print(f"error: {error}", file=sys.stderr)
            failed += not same
    return int(failed > 0)


def check() -> int:
    """Whether every file fits what it holds, and every page the files; 1 where a page or a packed run does not."""
    from experiments.reproduction.pages import generate

    cells = list(cells_below())
    known = items()
    for cell in cells:
        if f"{cell.paper}/{cell.item}" not in known:
            raise BadInput(f"{cell.path}: no such item; known are {', '.join(known)}")
    made = {cell.path: cell for cell in every_derived(RESULTS)}
    kept = {cell.path: cell for cell in cells if known[f"{cell.paper}/{cell.item}"].derived_from}
    others = [path for path in made.keys() | kept.keys() if made.get(path) != kept.get(path)]
    for path in sorted(others):
        say(f"{path} is not what the files give that it is made of; python -m experiments.reproduce --pages")
    stale = [path for path, text in generate().items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        say(f"{path} is not what the files give; python -m experiments.reproduce --pages")
    unfit = unfit_archives()
    for line in unfit:
        say(line)
    say(f"{len(cells)} cells fit; {'the pages fit them' if not stale else f'{len(stale)} pages do not'}")
    return int(bool(stale or others or unfit))
