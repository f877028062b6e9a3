"""Goes through the steps as long as there is time: a check from the beginning, or a campaign from where it stands."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.device import report
from benchmarks.device.book import DONE, FAILED, FILE, UNFINISHED, Book, Entry, kind_of
from benchmarks.device.device_tests import SAID
from benchmarks.device.process import device_problem
from benchmarks.device.sizes import NAMED
from benchmarks.device.steps import CHECK, Context, Step, compile_first, needless, steps
from gpumcts.compiling import cache
from gpumcts.errors import BadInput
from gpumcts.kernels.crossover import FILE as CROSSOVER
from gpumcts.kernels.cuda import device_choices

SOUND, FAILURES, NO_DEVICE, TIME_OVER = 0, 1, 2, 3
USUAL_SECONDS = 480.0
NOTHING_FAILED = "nothing had failed"
SHARE_TO_COMPILE = 0.6  # of the time of a campaign's call, at most
OWN_FILES = (FILE, SAID, report.FIGURES, report.TABLE, CROSSOVER, device_choices.FILE)


class DeviceGone(Exception):
    """The device cannot be used any more; the message says why, in a line."""


def check(folder: Path, seconds: float, size: str, suites: Sequence[str] | None = None) -> int:
    """Tests and suites, those of ``suites`` alone where some are named, from the beginning; the exit code."""
    if kind_of(folder) == "campaign":
        print(f"error: {folder} holds a campaign: go on with it by --campaign, or name another folder", file=sys.stderr)
        return NO_DEVICE
    there = [name for name in OWN_FILES if (folder / name).exists()]
    if there and kind_of(folder) != "check":  # as experiments.bench writes them
        print(f"error: {folder} holds {there[0]} that no check has made: name another folder", file=sys.stderr)
        return NO_DEVICE
    if there and (problem := device_problem()):  # nothing would come in the place of what an earlier check measured
        print(f"error: no device can be used: {problem}; {folder} is left as it was", file=sys.stderr)
        return NO_DEVICE
    for name in reversed(there):  # the record, which says that they are a check's, at last
        (folder / name).unlink()
    whole = steps(NAMED[size])
    planned = [step for step in whole if step.stage == CHECK and _chosen(step.name, suites)]
    planned += [step for step in whole if step.name == "tables"]
    return _go(folder, seconds, size, planned, whole=False)


def _chosen(name: str, suites: Sequence[str] | None) -> bool:
    return name == "tests" or suites is None or name.partition(":")[0] in suites


def campaign(folder: Path, seconds: float, size: str) -> int:
    """All stages, from where the folder says that they stand; the exit code."""
    return _go(folder, seconds, size, steps(NAMED[size]), whole=True)


def _go(folder: Path, seconds: float, size: str, planned: list[Step], whole: bool) -> int:
    """``whole``: a campaign, whose seconds are all the call may take; a check's begin once kernels are compiled."""
    until, share = time.monotonic() + seconds, seconds / USUAL_SECONDS
    problem = device_problem()
    found = machine.machine()
    try:
        made_on = {"commit": _version(found), "device": found["device"]["name"], "sizes": size}
        book = Book(folder, {"kind": "campaign" if whole else "check", **made_on})
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return NO_DEVICE
    context = Context(book, NAMED[size], size, whole and size != "small", found["device"]["name"])
    told: dict[str, Any] = {
        "machine": found,
        "problem": problem,
        "kernels": {"kernels": [], "missing": 0, "seconds": 0.0, "problems": []},
    }
    if problem:
        report.write(context, planned, told)
        print(f"error: no device can be used: {problem}", file=sys.stderr)
        return NO_DEVICE
    _say("compiling kernels ...")
    told["kernels"] = compile_first(context, SHARE_TO_COMPILE * seconds if whole else seconds, planned)
    until = until if whole else time.monotonic() + seconds
    report.write(context, planned, told)
    names = {step.name for step in planned}
    try:
        for step in planned:
            _take(context, step, until, names, share)
            report.write(context, planned, told)
    except DeviceGone as gone:
        report.write(context, planned, told)
        print(f"error: the device cannot be used any more: {gone}", file=sys.stderr)
        return NO_DEVICE
    print((folder / report.TABLE).read_text("utf-8"))
    print(report.summary(context, planned))
    return _code(context, planned)


def _version(found: dict[str, Any]) -> str:
    """The commit, and where there is none, as in a copy of the checkout, a digest of the sources."""
    return found["commit"] or f"sources {cache.folder().name}"


def _code(context: Context, planned: list[Step]) -> int:
    states = [context.entry(step.name).state for step in planned]
    repaired = {step.name for step in planned if context.entry(f"again: {step.name}").state == DONE}
    failed = [s for s, step in zip(states, planned, strict=True) if s == FAILED and step.name not in repaired]
    return FAILURES if failed else TIME_OVER if UNFINISHED in states else SOUND


def _take(context: Context, step: Step, until: float, planned: set[str], share: float) -> None:
    """Do a step as far as there is time, if it is not through and what it needs is. Raises DeviceGone.

    share : of the seconds that a step has in a call of the usual length
    """
    entry, left = context.entry(step.name), until - time.monotonic()
    if entry.state == UNFINISHED and needless(context, step):
        context.book.write(step.name, entry._replace(state=DONE, told=NOTHING_FAILED))
        return
    waits = [name for name in step.first if name in planned and context.entry(name).state == UNFINISHED]
    if entry.state != UNFINISHED or left < step.least or waits:
        if entry.state == UNFINISHED and not entry.calls:
            why = f"waits for {waits[0]}" if waits else "no time was left"
            context.book.write(step.name, entry._replace(told=why))
        return
    _say(f"{step.name} ...")
    begin = time.monotonic()
    after = step.work(context, entry, min(max(step.least, share * step.most), left), step.name)
    took = time.monotonic() - begin
    if after.state == FAILED and (problem := device_problem()):
        raise DeviceGone(problem)  # the step is no worse for it, and stays to be done
    context.book.write(step.name, _counted(after, entry, took))
    if after.state == FAILED:
        _say(f"{step.name}: {after.told}")


def _counted(after: Entry, before: Entry, seconds: float) -> Entry:
    return after._replace(seconds=before.seconds + seconds, calls=before.calls + 1)


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)
