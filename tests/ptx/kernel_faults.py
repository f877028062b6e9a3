"""Faults planted in gpumcts' own kernels and in what drives them, one at a time, in a copy of the package.

    python -m tests.ptx.kernel_faults [--simulator] [NAME ...]

Prints who catches each: the emulator (``test_kernel_faults`` asserts that), and with ``--simulator`` numba's simulator
too, which runs the same case where it can.
"""

import argparse
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.ptx.running import FAULT_EXIT, ROOT, STANDIN, run_inside

UNIFORM, WARP_WAY = "playouts of uniform on dice_duel, nested", "playouts of minimax 1 on dice_duel, warp"
WHOLE = "playouts of uniform on havannah, whole"
TREES, LEAVES = "engine=device: average by ucb1, plain, on dots", "engine=device: average by ucb1, leaves, on dots"
PATIENCE = 200  # seconds; without a fault the simulator takes a tenth of it
GROWING = "driver: Forests that begin without room grow"


class KernelFault(NamedTuple):
    """``old``, which stands once in the ``files`` of the package, becomes ``new``; the case in which that shows."""

    what: str
    old: str
    new: str
    case: str
    files: str = "*.py"


FAULTS = {
    "missing_atomic": KernelFault(
        "a tally is added to without an atomic",
        "fetch_add(job.words, row + WINS, U(wins))",
        "job.words[row + WINS] += U(wins)",
        UNIFORM,
    ),
    "wrong_mask": KernelFault("the mask of a warp lacks a lane", "MASK = 2**32 - 1 ", "MASK = 2**31 - 1 ", UNIFORM),
    "loop_apart": KernelFault(
        "lanes leave a loop of votes one by one",
        "while ballot(later != U(0)) != U(0):",
        "while later != U(0):",
        UNIFORM,
    ),
    "entry_apart": KernelFault(
        "only the lanes that are through enter their outcomes together",
        "if ballot(through) != U(0):\n            enter(policy, game, job, through, leaf, number, state, plies)",
        "if through:\n            enter(policy, game, job, through, leaf, number, state, plies)",
        UNIFORM,
        "kernels.py",
    ),
    "idle_lanes_count": KernelFault(
        "idle lanes count as peers of their last leaf",
        "peers(leaf if through else np.int32(-1 - lane()))",
        "peers(leaf)",
        UNIFORM,
    ),
    "ply_too_many": KernelFault(
        "a burst has a ply too many",
        "while plies < until and not over(game, state):",
        "while plies <= until and not over(game, state):",
        "playouts of uniform, 7 plies on dice_duel, nested",
    ),
    "share_of_one_warp": KernelFault(
        "later shares begin after the first warp's",
        "return warps() * job.grab + shuffle(at, 0)",
        "return job.grab + shuffle(at, 0)",
        UNIFORM,
    ),
    "shuffle_of_another": KernelFault(
        "a share is told by a lane that did not take it",
        "return warps() * job.grab + shuffle(at, 0)",
        "return warps() * job.grab + shuffle(at, 1)",
        UNIFORM,
    ),
    "half_a_warp": KernelFault(
        "a maximum leaves out half of a warp",
        "for distance in (16, 8, 4, 2, 1):",
        "for distance in (8, 4, 2, 1):",
        WARP_WAY,
    ),
    "lane_below": KernelFault(
        "the lane below the chosen one tells its move",
        "np.int64(63) - np.int64(leading_zeros(taking))",
        "np.int64(62) - np.int64(leading_zeros(taking))",
        WARP_WAY,
    ),
    "swapped": KernelFault(
        "leaf and number are swapped", "leaf, number = placed(job, at)", "number, leaf = placed(job, at)", WARP_WAY
    ),
    "every_lane_adds": KernelFault(
        "every lane of a warp adds its playout",
        "        if lane() == 0:\n            score = ",
        "        if lane() >= 0:\n            score = ",
        WARP_WAY,
    ),
    "share_without_end": KernelFault(
        "the last share has no end",
        "busy = mine < min(end, job.count)",
        "busy = mine < end",
        WHOLE,
    ),
    "tree_out_of_bounds": KernelFault(
        "a thread more than there are trees",
        "if tree >= task.numbers.shape[0]:",
        "if tree > task.numbers.shape[0]:",
        TREES,
    ),
    "wrong_stride": KernelFault(
        "trees share rows of the batch",
        "rows_of(task.batch, tree * leaves, (tree + 1) * leaves)",
        "rows_of(task.batch, tree, tree + leaves)",
        LEAVES,
    ),
    "unwritten_arrays": KernelFault(
        "arrays are not zeros",
        "runtime.memsetAsync(memory.data.ptr, 0, size, self._stream.ptr)",
        "pass",
        TREES,
    ),
    "missing_wait": KernelFault("a batch is read before it is back", "self._back.wait()", "pass", UNIFORM),
    "wrong_pitch": KernelFault(
        "rows of a grown array are as far apart as before",
        "runtime.memcpy2DAsync(address(wide), to_pitch, ",
        "runtime.memcpy2DAsync(address(wide), from_pitch, ",
        GROWING,
    ),
    "free_lists_unwritten": KernelFault(
        "a new tree's free lists are not cleared",
        "for index in range(forest.free.shape[1]):\n        forest.free[tree, index] = NO_NODE",
        "for index in range(1, 1):\n        forest.free[tree, index] = NO_NODE",
        TREES,
    ),
}


@contextmanager
def planted(fault: KernelFault | None) -> Iterator[Path]:
    """A folder with the tests and a copy of the package with the fault. ValueError unless its text is there once."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        shutil.copytree(ROOT / "gpumcts", root / "gpumcts", ignore=shutil.ignore_patterns("__pycache__"))
        (root / "tests").symlink_to(ROOT / "tests")
        if fault is not None:
            found = [file for file in (root / "gpumcts").rglob(fault.files) if fault.old in file.read_text()]
            if len(found) != 1 or found[0].read_text().count(fault.old) != 1:
                raise ValueError(f"{fault.what}: the text stands in {len(found)} files: {fault.old}")
            found[0].write_text(found[0].read_text().replace(fault.old, fault.new))
        yield root


@functools.cache
def expected(case: str) -> str:
    """What the package finds without a fault, on the CPU."""
    done = run_inside([case], timeout=1800)
    return json.loads(done.output.splitlines()[-1])["expected"]


def by_emulator(fault: KernelFault) -> str:
    """How the emulator catches a fault; empty where it does not."""
    wanted = expected(fault.case)
    with planted(fault) as root:
        environ = {"GPUMCTS_CACHE": str(root / "cache"), "PYTHONPATH": f"{STANDIN}"}
        done = run_inside([fault.case], timeout=1800, environ=environ, root=root, only_found=True)
    if done.code == FAULT_EXIT:
        return done.faults[0].partition(" (kernel")[0].removeprefix("emulated device: ")
    if found := re.search(r"^cupy\..*: (\w+ answers \d+)$", done.errors, re.MULTILINE):
        return f"the driver's call {found[1]}"
    if done.code:
        raise RuntimeError(f"{fault.what}: exit code {done.code}: {done.errors[-2000:]}")
    found = json.loads(done.output.splitlines()[-1])["found"]
    different = sum(digest != wanted for digest in found)
    return f"results differ, in {different} of {len(found)} runs" if different else ""


def by_simulator(fault: KernelFault) -> str:
    """How numba's simulator catches it: an error, another result, or no end; empty where it does not."""
    command = [sys.executable, "-m", "tests.ptx.simulated", fault.case]
    with planted(fault) as root:
        variables = {**os.environ, "GPUMCTS_CACHE": str(root / "cache"), "PYTHONPATH": ""}
        try:
            done = subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return f"no end within {PATIENCE} s"
    if done.returncode:
        return f"an error: {done.stderr.strip().splitlines()[-1][:100]}"
    return "" if done.stdout == simulated(fault.case) else "results differ"


@functools.cache
def simulated(case: str) -> str:
    """What the simulator finds without a fault."""
    command = [sys.executable, "-m", "tests.ptx.simulated", case]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Print who catches what."""
    parser = argparse.ArgumentParser("python -m tests.ptx.kernel_faults")
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *FAULTS])
    parser.add_argument("--simulator", action="store_true")
    chosen = parser.parse_args()
    for name in chosen.names or FAULTS:
        fault = FAULTS[name]
        line = [fault.what, by_emulator(fault) or "not caught"]
        print(" | ".join(line + ([by_simulator(fault) or "not caught"] if chosen.simulator else [])), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
