"""The steps of a campaign, in their order; each goes on where its entry says that it stands."""

import hashlib
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import crossover
from benchmarks.device import choices, device_tests, documents, peers, suites, tools
from benchmarks.device.book import ABSENT, DONE, FAILED, UNFINISHED, Book, Entry
from benchmarks.device.device_tests import Results
from benchmarks.device.process import ABSENT_CODE, environment, python, together
from benchmarks.device.sizes import REHEARSED, Sizes
from benchmarks.measure import Row
from gpumcts.compiling import cache
from gpumcts.errors import BadInput
from gpumcts.kernels.crossover import FILE as CROSSOVER
from gpumcts.kernels.cuda import device_choices
from gpumcts.resources import usable_cores

CHECK, AGAIN, CHOICES, TOOLS, PEERS, DOCUMENTS = (
    "check",
    "failures again",
    "choices",
    "tools",
    "peers on the same device",
    "tables of the documents at their own scale",
)
STAGES = (CHECK, AGAIN, CHOICES, TOOLS, PEERS, DOCUMENTS)
SECONDS_OF_TOOLS = 120.0
SECONDS_OF_DOCUMENTS = 3600.0  # all that a call has left
AGAIN_OF = "again: "
OF_CROSSOVERS = dict(zip(suites.CROSSOVERS, ("uniform", "informed"), strict=True))  # kinds of policies
OF_A_TEST = "outcome", "seconds", "text"


class Context(NamedTuple):
    """What steps work with. ``size`` is the name of ``chosen``; ``install``: tables are put where the engines look."""

    book: Book
    chosen: Sizes
    size: str
    install: bool
    device: str

    def entry(self, name: str) -> Entry:
        """What is known of a step."""
        return self.book.of(name)

    def rows(self) -> list[Row]:
        """All figures so far."""
        return [Row(**row) for entry in self.book.entries.values() for row in entry.rows]


Work = Callable[[Context, Entry, float, str], Entry]


class Step(NamedTuple):
    """``work(context, entry, seconds, name)`` returns the entry anew.

    least : seconds that must be left when it begins
    most : seconds that it is given, at most
    first : steps that must have ended before, whatever came of them
    """

    name: str
    stage: str
    least: float
    most: float
    work: Work
    first: tuple[str, ...] = ()


def steps(chosen: Sizes) -> list[Step]:
    """All steps, stage by stage."""
    suite_names = [name for name in suites.PARTS if name not in suites.CROSSOVERS]
    ways = [f"{suites.WAYS}: {game}, {policy}" for game, policy in chosen.cells]
    caps = [f"{suites.CAPS}: {name}" for name in chosen.searches]
    batches = [f"{suites.BATCHES}: {game}, {leaves}" for game, leaves in chosen.batches]
    measured = [*suite_names, *ways, *batches, *suites.CROSSOVERS]
    found = [Step("tests", CHECK, 20, 200, _tests)]
    found += [Step(name, CHECK, 15, _most(name), _suite) for name in measured]
    found += [Step(f"{AGAIN_OF}tests", AGAIN, 15, 300, _tests_again, ("tests",))]
    found += [Step(f"{AGAIN_OF}{name}", AGAIN, 15, _most(name), _suite_again, (name,)) for name in measured]
    found += [Step(name, CHOICES, 30, suites.SECONDS_A_CELL, _suite) for name in caps]
    found += [Step("tables", CHOICES, 1, 5, _tables, (*ways, *caps, *suites.CROSSOVERS))]
    found += [Step(check, TOOLS, 30, SECONDS_OF_TOOLS, _sanitized) for check in tools.CHECKS]
    found += [Step(f"ncu: {kind}", TOOLS, 30, SECONDS_OF_TOOLS, _profiled) for kind in tools.PROFILED]
    found += [Step(name, PEERS, 45, peers.SECONDS, _suite) for name in peers.BESIDE]
    return [*found, Step(documents.DOCUMENTS, DOCUMENTS, 40, SECONDS_OF_DOCUMENTS, _documents)]


def _kinds() -> list[str]:
    from benchmarks.device.exercise import KINDS

    return list(KINDS)


def _most(name: str) -> float:
    return suites.PARTS[name].seconds if name in suites.PARTS else suites.SECONDS_A_CELL


# -------------------------------------------------------------------------------------------------------------- kernels


def compile_first(context: Context, seconds: float, planned: list[Step]) -> dict[str, Any]:
    """Compile what tests and suites want on all cores; nothing to do where this compile cache has it already.

    Suites that are ``planned`` are rehearsed after it: much of what they compile is the CPU's.
    Returns counts, ``seconds``, and the ``kernels`` with what each took.
    """
    rehearsals = [step.name for step in planned if step.work is _suite and step.stage == CHECK]
    rehearsals = rehearsals if context.chosen.rehearse else []
    folder = Path(environment()["GPUMCTS_CACHE"]) / "gpumcts" / cache.folder().name
    mark = folder / f"compiled-{context.size}-{hashlib.sha256(repr(rehearsals).encode()).hexdigest()[:8]}"
    if mark.exists():
        return {"kernels": [], "missing": 0, "seconds": 0.0, "problems": []}
    begin, shares = time.monotonic(), max(1, usable_cores())
    commands = [("benchmarks.device.kernels", context.size, f"{number}/{shares}") for number in range(shares)]
    suite = f"{context.size}:{REHEARSED}"
    commands += [("benchmarks.device.suites", suite, name) for name in rehearsals]
    ended = together(commands, seconds, at_once=2 * shares)  # a rehearsal waits for the device now and then
    kernels = [kernel for process in ended[:shares] for kernel in process.lines]
    late = sum(process.code is None for process in ended)
    problems = [f"{kernel['kernel']}: {kernel['error']}" for kernel in kernels if "error" in kernel]
    problems += [process.last for process in ended if process.code not in (None, 0)]
    if not late and not problems and folder.exists():
        mark.touch()
    return {"kernels": kernels, "missing": late, "seconds": time.monotonic() - begin, "problems": problems}


# ---------------------------------------------------------------------------------------------------------------- check


def _tests(context: Context, entry: Entry, seconds: float, name: str) -> Entry:
    results = Results.of(entry.data)
    device_tests.run_tests(context.book.folder, results, seconds, context.chosen.tests)
    if results.missing or not (results.collected or results.broken):
        return entry._replace(state=UNFINISHED, told=results.told(), data=results.data())
    return entry._replace(state=DONE if results.sound else FAILED, told=results.told(), data=results.data())


def _suite(context: Context, entry: Entry, seconds: float, name: str) -> Entry:
    ended = python("benchmarks.device.suites", context.size, name, seconds=seconds)
    rows = tuple(ended.lines)
    if ended.code is None:
        told = f"stopped after {seconds:.0f} s"
        # A second time in vain, with all the time that it may have: it will not end.
        state = FAILED if entry.calls and seconds >= _most(name) else UNFINISHED
        return entry._replace(state=state, told=told, rows=rows or entry.rows)
    if ended.code == ABSENT_CODE:
        return entry._replace(state=ABSENT, told=ended.last)
    if ended.code != 0:
        return entry._replace(state=FAILED, told=ended.last or f"exit code {ended.code}", rows=rows or entry.rows)
    return entry._replace(state=DONE, told=f"{len(rows)} figures", rows=rows)


# ---------------------------------------------------------------------------------------------------------------- again


def needless(context: Context, step: Step) -> bool:
    """Whether a step is there for what failed, and it did not."""
    return step.name.startswith(AGAIN_OF) and context.entry(step.name.removeprefix(AGAIN_OF)).state == DONE


def _tests_again(context: Context, entry: Entry, seconds: float, name: str) -> Entry:
    """Run every failed test in a process of its own: the fault may be another's. What is no test stays failed."""
    until = time.monotonic() + seconds
    results = Results.of(context.entry("tests").data)
    failed = results.named("failed")
    found = dict(entry.data.get("tests", {}))
    found |= {name: dict(zip(OF_A_TEST, results.ended[name], strict=True)) for name in results.broken}
    for test in failed:
        left = until - time.monotonic()
        if test not in found and left > 5:
            outcome, took, text = device_tests.run_alone(context.book.folder, test, left)
            found[test] = dict(zip(OF_A_TEST, (outcome, took, text), strict=True))
    missing = [test for test in failed if test not in found]
    still = [test for test, told in found.items() if told["outcome"] != "passed"]
    told = f"{len(failed)} tests failed, {len(still)} of {len(found)} fail alone too"
    state = UNFINISHED if missing else FAILED if still else DONE
    return entry._replace(state=state, told=told, data={"tests": found})


def _suite_again(context: Context, entry: Entry, seconds: float, name: str) -> Entry:
    """A suite that failed, once more; what is measured then counts."""
    name = name.removeprefix(AGAIN_OF)
    before = context.entry(name)
    again = _suite(context, entry, seconds, name)
    if again.state == DONE:
        context.book.write(
            name, before._replace(state=DONE, told=f"at the second attempt; before: {before.told}", rows=())
        )
    return again


# -------------------------------------------------------------------------------------------------------------- choices


def _tables(context: Context, entry: Entry, seconds: float, name: str) -> Entry:
    """The tables that engines follow, into the folder, and where engines look for them."""
    rows = context.rows()
    written: dict[str, Any] = {device_choices.FILE: choices.table(context.device, rows)}
    crossovers = [_crossover(context, name, policy) for name, policy in OF_CROSSOVERS.items()]
    if any(crossovers):
        written[CROSSOVER] = [table for table in crossovers if table]
    for file, table in written.items():
        context.book.file(file, json.dumps(table, indent=1) + "\n")
        if context.install:
            cache.root().mkdir(parents=True, exist_ok=True)
            (cache.root() / file).write_text(json.dumps(table, indent=1) + "\n", "utf-8")
    where = f", also in {cache.root()}" if context.install else ""
    return entry._replace(state=DONE, told=f"{' and '.join(written)} written{where}")


def _crossover(context: Context, name: str, policy: str) -> dict[str, Any]:
    """The table of a crossover as far as it is measured; empty where it is not."""
    complete = crossover.complete([row for row in context.rows() if row.suite == name])
    if not complete:
        return {}
    bench = suites.bench_of(suites.PARTS[name], context.book.folder, context.chosen)
    return crossover.table(bench, complete, policy) | {"device": context.device}


# ---------------------------------------------------------------------------------------------------------------- tools


def _sanitized(context: Context, entry: Entry, seconds: float, name: str) -> Entry:
    """A check over all kinds of kernels, side by side: nothing is timed."""
    if tools.find(tools.SANITIZER) is None:
        return entry._replace(state=ABSENT, told=f"{tools.SANITIZER} is not there: it comes with the CUDA toolkit")
    kinds = _kinds()
    with ThreadPoolExecutor(max(1, min(len(kinds), usable_cores()))) as pool:
        looked = list(pool.map(lambda kind: tools.sanitized(name, kind, seconds, context.size == "small"), kinds))
    problems = [f"{kind}: {found.problem}" for kind, found in zip(kinds, looked, strict=True) if found.problem]
    return _looked(entry, tools.Looked("; ".join(problems), [row for found in looked for row in found.rows]))


def _profiled(context: Context, entry: Entry, seconds: float, name: str) -> Entry:
    if tools.find(tools.PROFILER) is None:
        return entry._replace(state=ABSENT, told=f"{tools.PROFILER} is not there: it comes with the CUDA toolkit")
    return _looked(entry, tools.profiled(name.partition(": ")[2], seconds, context.chosen.profiled))


def _looked(entry: Entry, looked: tools.Looked) -> Entry:
    rows = tuple(row._asdict() for row in looked.rows)
    return entry._replace(state=FAILED if looked.problem else DONE, told=looked.problem or "sound", rows=rows)


# ------------------------------------------------------------------------------------------------------------ documents


def _documents(context: Context, entry: Entry, seconds: float, name: str) -> Entry:
    """What is missing of the papers' tables, as far as there is time; nothing with sizes that choose none."""
    lacking = documents.missing() if context.chosen.documents else f"not with --sizes {context.size}"
    if lacking:
        return entry._replace(state=ABSENT, told=lacking)
    try:
        ended, told = documents.play(context.chosen.documents, context.book.folder, seconds)
    except BadInput as error:
        return entry._replace(state=FAILED, told=str(error))
    return entry._replace(state=DONE if ended else UNFINISHED, told=told)
