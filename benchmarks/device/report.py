"""What a campaign found, for people and as JSON: ``table.txt`` and ``figures.json``, written anew after every step."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.device import bars
from benchmarks.device.bars import Judged
from benchmarks.device.book import DONE
from benchmarks.device.device_tests import Results
from benchmarks.device.steps import AGAIN, Context, Step
from benchmarks.text import aligned, fastest, shortened, text
from gpumcts.kernels.crossover import FILE as CROSSOVER

FIGURES, TABLE = "figures.json", "table.txt"
MAX_LINES = 12  # of the text of a test that failed


def write(context: Context, planned: Sequence[Step], told: dict[str, Any]) -> None:
    """All files anew; ``told`` is of the machine and of the kernels that were compiled beforehand."""
    rows, judged = context.rows(), bars.judged(context.rows())
    figures = {
        **told,
        "steps": {step.name: {"stage": step.stage, **_told(context, step)} for step in planned},
        "bars": [bar._asdict() | {"reached": bar.reached} for bar in judged],
        "figures": [row._asdict() for row in rows],
    }
    context.book.file(FIGURES, json.dumps(figures, indent=1) + "\n")
    context.book.file(TABLE, "\n".join(_lines(context, planned, told, judged)) + "\n")


def _told(context: Context, step: Step) -> dict[str, Any]:
    entry = context.entry(step.name)
    return {"state": entry.state, "told": entry.told, "seconds": entry.seconds, "calls": entry.calls}


def _lines(context: Context, planned: Sequence[Step], told: dict[str, Any], judged: list[Judged]) -> Iterator[str]:
    yield from _of_the_machine(told)
    yield "\n" + aligned(("stage", "step", "state", "seconds", "told"), list(_of_steps(context, planned)))
    yield from _of_failed_tests(context)
    yield aligned(("bar", "least", "measured", "reached"), [_of_a_bar(bar) for bar in judged])
    if rows := context.rows():
        yield text(rows)
    file = context.book.folder / CROSSOVER
    if file.exists():
        for table in json.loads(file.read_text("utf-8")):
            yield f"{table['policy']} playouts\n{fastest(table)}"


def _of_the_machine(told: dict[str, Any]) -> Iterator[str]:
    machine, kernels = told["machine"], told["kernels"]
    device = machine["device"]
    yield f"{device['name'] or 'no device'}, driver for CUDA {device['driver']}, {machine['cpu']},"
    yield f"{machine['cores']} cores, commit {machine['commit'] or 'unknown'}"
    yield f"{machine['clocks']}\n{machine['versions']}\n"
    yield (
        f"kernels compiled beforehand: {len(kernels['kernels'])} in {kernels['seconds']:.0f} s, "
        "not among the seconds below"
    )
    if kernels["missing"]:
        yield f"{kernels['missing']} processes that compile did not end in time"
    yield from kernels["problems"]


def _of_steps(context: Context, planned: Sequence[Step]) -> Iterator[list[str]]:
    for step in planned:
        entry = context.entry(step.name)
        if step.stage == AGAIN and not entry.calls:
            continue  # nothing has failed, or it is not known yet
        yield [step.stage, step.name, entry.state, f"{entry.seconds:.0f}", entry.told]


def _of_failed_tests(context: Context) -> Iterator[str]:
    """Every failed test with the end of what it said, the latest time that it was run."""
    first = {
        name: told[2] for name, told in Results.of(context.entry("tests").data).ended.items() if told[0] == "failed"
    }
    again = {name: told["text"] for name, told in context.entry("again: tests").data.get("tests", {}).items()}
    for name, said in {**first, **{name: said for name, said in again.items() if said}}.items():
        yield f"failed: {name}"
        yield from ("    " + line for line in said.splitlines()[-MAX_LINES:])


def _of_a_bar(bar: Judged) -> list[str]:
    measured = "-" if bar.measured is None else shortened(bar.measured)
    return [bar.what, f"{shortened(bar.bar)} {bar.unit}", measured, bar.reached]


def summary(context: Context, planned: Sequence[Step]) -> str:
    """How many steps are in which state, in a line."""
    states = [context.entry(step.name).state for step in planned]
    counts = [f"{states.count(state)} {state}" for state in dict.fromkeys([DONE, *states])]
    return f"{', '.join(counts)} of {len(planned)} steps"
