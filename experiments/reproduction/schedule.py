"""What has been run and what is missing, in the catalogue's order; and the runs themselves, which stop and go on."""

import lzma
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from experiments.config.json_files import read_json
from experiments.config.scales import DOCUMENT
from experiments.reproduction.catalogue import Item, Paper, Run, papers
from experiments.reproduction.cells import RESULTS, Cell, cells_below, read, write
from experiments.reproduction.derived import derived
from experiments.reproduction.game_files import lacking, placed, quoted
from experiments.reproduction.gathering import gather
from experiments.runs.run_directory import PROVENANCE
from experiments.terminal.console import say
from gpumcts.errors import BadInput

ROOT = Path(__file__).parents[2]
FOLDERS = Path("outputs/reproduce")
UNFINISHED = RESULTS / "unfinished"
MAX_PACKED = 2 << 20
"""Bytes of an unfinished run that are kept in the repository, packed."""
NO_SWEEPS = frozenset({"worked", "rank", "traps"})
"""Commands whose experiments are single runs."""
NOT_KEPT = frozenset({"multirun.yaml", "lock"})
PATIENCE = 120.0
"""Seconds that a run is given to stop where its time ends."""
INTERRUPTED = 130
OWN_SCALE = f"scale={DOCUMENT}"
UNREADABLE = (OSError, tarfile.TarError, EOFError, lzma.LZMAError)
"""What a damaged archive raises."""


class Task(NamedTuple):
    """A run of the catalogue and what stands of it.

    cells : files that it has; unfinished : a folder, or a packed one, that it would go on with
    """

    paper: Paper
    item: Item
    run: Run
    cells: list[Cell]
    unfinished: Path | None

    @property
    def name(self) -> str:
        """``paper/item/run``."""
        return f"{self.paper.name}/{self.item.name}/{self.run.name or 'all'}"

    @property
    def folder(self) -> Path:
        """Where it works."""
        return FOLDERS / self.paper.name / self.item.name / (self.run.name or "all")

    @property
    def packed(self) -> Path:
        """Where its unfinished folder is kept, packed."""
        return UNFINISHED / f"{self.name.replace('/', '-')}.tar.xz"

    @property
    def has_engine(self) -> bool:
        """Whether its playouts may be a device's: a match's are."""
        return self.run.command[0] == "match"

    @property
    def lacks(self) -> Path | None:
        """The file of games that it needs and that is not there."""
        return lacking(self.run.command)

    @property
    def done(self) -> bool:
        """Whether it has cells at the paper's own budget."""
        return any(cell.verdict != "reduced" for cell in self.cells)


def tasks(results: Path = RESULTS) -> list[Task]:
    """All runs of the catalogue, the most worth while first."""
    known: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells_below(results):
        known.setdefault((cell.paper, cell.item), []).append(cell)
    found = []
    for paper in papers().values():
        for item in paper.items:
            cells = known.get((paper.name, item.name), [])
            for run in item.runs:
                task = Task(paper, item, run, [cell for cell in cells if run.owns(cell.cell)], None)
                started = next((place for place in (task.folder, task.packed) if place.exists()), None)
                found.append(task._replace(unfinished=None if task.done else started))
    return sorted(found, key=lambda task: task.run.order)


def missing(hours: float) -> Iterator[Task]:
    """The runs without a cell at the paper's own budget, in order, while there may be time for another.

    Those whose file of games is not there are left out with a word.
    """
    end = time.monotonic() + 3600 * hours
    for task in tasks():
        if time.monotonic() >= end:
            return
        if task.lacks is not None and not task.done:
            say(f"{task.name}: left out, since {task.lacks} is not there")
        elif not task.done:
            yield task


def work(task: Task, scale: str, end: float, threads: int | None, engine: str | None = None) -> bool:
    """Do a run, or what is left of it, until ``end`` (of ``time.monotonic``); returns whether it is finished.

    Its cells are written once it is. Raises BadInput where the command of the run fails, also where the folder holds a
    run that this commit cannot go on with, which the command says.
    """
    if task.item.derived_from:
        for cell in derived(task.paper, task.item, RESULTS):
            keep(cell, RESULTS)
        return True
    if not task.folder.exists() and task.packed.exists():
        _unpack(task)
    commit = _made_by(task.folder) if task.folder.exists() else None
    if commit:
        say(f"{task.name}: goes on where commit {commit[:7]} stopped")
    more = [f"{key}={value}" for key, value in (("threads", threads), ("engine", engine)) if value is not None]
    status = _call(task, scale, end, more if task.run.command[0] != "worked" else [])
    if status == INTERRUPTED:
        return False
    if status:
        anew = f"; remove {task.folder} to begin anew" if commit else ""
        raise BadInput(f"{task.name}: its command ended with exit code {status}; what it said stands above{anew}")
    found = gather(task.paper, task.item, task.folder, scale)
    for cell in found:
        if not task.run.owns(cell.cell):
            raise BadInput(f"{task.name}: gives the cell {cell.cell}, but its cells are {', '.join(task.run.cells)}")
    for cell in found:
        keep(cell, RESULTS)
    drop_reduced(task, found, RESULTS)
    task.packed.unlink(missing_ok=True)
    return True


def keep(cell: Cell, results: Path) -> Path:
    """Write a cell's file, but not over one at the paper's budget where it has less; returns where, raises BadInput."""
    path = results / cell.path
    if cell.verdict == "reduced" and path.exists() and read(path, results).verdict != "reduced":
        raise BadInput(f"{path} is at the paper's own budget, and the new cell at another; remove the file first")
    return write(cell, results)


def drop_reduced(task: Task, found: Sequence[Cell], results: Path) -> list[Path]:
    """Remove a run's cells at less than the paper's budget that are not among those found at it; returns which.

    A run that names its cells by what it finds, such as positions, finds others at another budget.
    """
    if any(cell.verdict == "reduced" for cell in found):
        return []
    names = {cell.cell for cell in found}
    others = (results / task.paper.name / task.item.name).glob("*.json")
    mine = [path for path in sorted(others) if task.run.owns(path.stem) and path.stem not in names]
    dropped = [path for path in mine if read(path, results).verdict == "reduced"]
    for path in dropped:
        say(f"{task.name}: {path.name} of a smaller budget goes, since this run did not find it")
        path.unlink()
    return dropped


def _call(task: Task, scale: str, end: float, more: Sequence[str]) -> int:
    """The run's command in a process of its own, which is asked to stop at ``end``; returns its exit code.

    A terminal sends Ctrl-C to all processes of its group. The command is in another, so that it is asked once, by this
    one, and may end cleanly: a second Ctrl-C is passed on, and interrupts it at once.
    """
    command = [*command_of([scale_word(word, scale) for word in task.run.command], task.folder), *more]
    environment = {**os.environ, "PYTHONPATH": _path()}
    process = subprocess.Popen(command, cwd=Path.cwd(), env=environment, process_group=0)
    with _hanging_up_interrupts():
        try:
            return process.wait(timeout=max(1.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            status = _stop(process)
            return INTERRUPTED if status in (0, INTERRUPTED, -signal.SIGTERM, -signal.SIGINT) else status
        except KeyboardInterrupt:
            _stop(process)
            raise


def _stop(process: subprocess.Popen) -> int:
    """Ask a command to stop, and kill it where it does not; returns its exit code.

    First by SIGTERM: a cluster may have sent it to all processes, and a command counts the two as one. SIGINT beside it
    would be a second Ctrl-C.
    """
    end, number = time.monotonic() + PATIENCE, signal.SIGTERM
    while True:
        process.send_signal(number)
        try:
            return process.wait(timeout=max(0.0, end - time.monotonic()))
        except KeyboardInterrupt:
            number = signal.SIGINT
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return INTERRUPTED


@contextmanager
def _hanging_up_interrupts() -> Iterator[None]:
    """A terminal that is closed counts as Ctrl-C, since its signal does not reach the command's group either."""
    before = signal.getsignal(signal.SIGHUP)
    if before is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
        yield  # as under nohup
        return
    signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


def command_of(words: Sequence[str], folder: Path) -> list[str]:
    """The command of a run that works in ``folder``; raises BadInput where its file of games is not there."""
    place = "hydra.run.dir" if words[0] in NO_SWEEPS else "hydra.sweep.dir"
    return [sys.executable, "-m", f"experiments.{words[0]}", *placed(words[1:]), f"{place}={quoted(folder)}"]


def scale_word(word: str, scale: str) -> str:
    """A word of a command at another scale than the paper's."""
    return f"scale={scale}" if word == OWN_SCALE else word


def _path() -> str:
    return os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


def _made_by(folder: Path) -> str | None:
    """The commit that last worked in a folder; raises BadInput where its record cannot be read."""
    for path in sorted(folder.rglob(PROVENANCE)):
        return read_json(path).get("commit")
    return None


def pack(selected: Sequence[Task]) -> list[Path]:
    """Keep the unfinished folders of some runs in the repository where they are small; returns what was written."""
    written = []
    for task in selected:
        if task.done or not task.folder.exists():
            continue
        UNFINISHED.mkdir(parents=True, exist_ok=True)
        fresh = task.packed.with_suffix(".new")
        with tarfile.open(fresh, "w:xz") as archive:
            archive.add(task.folder, arcname=".", filter=_kept)
        if fresh.stat().st_size > MAX_PACKED:
            fresh.unlink()
            continue
        fresh.replace(task.packed)
        written.append(task.packed)
    return written


def unfit_archives() -> list[str]:
    """What is wrong with the packed runs: a line for each that no run would go on with, or that is damaged."""
    going_on = {task.packed for task in tasks() if not task.done}
    found = []
    for path in sorted(UNFINISHED.glob("*")):
        if path not in going_on:
            found.append(f"{path}: no unfinished run has this name; remove it")
            continue
        try:
            with tarfile.open(path, "r:xz") as archive:
                archive.getmembers()  # reads all of it
        except UNREADABLE as error:
            found.append(f"{path} cannot be unpacked: {error}; remove it to begin anew")
    return found


def _kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """A member of an archive without its owner; none for what Hydra writes of the machine, and for locks."""
    if Path(entry.name).name in NOT_KEPT:
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def _unpack(task: Task) -> None:
    if not hasattr(tarfile, "data_filter"):  # the filter that lets no member out of the folder
        raise BadInput(f"{task.packed} can be unpacked by Python 3.11.4 and later; remove it to begin anew")
    fresh = task.folder.with_name(f".{task.folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        with tarfile.open(task.packed, "r:xz") as archive:
            archive.extractall(fresh, filter="data")
    except UNREADABLE as error:
        raise BadInput(f"{task.packed} cannot be unpacked: {error}; remove it to begin anew") from None
    fresh.replace(task.folder)
