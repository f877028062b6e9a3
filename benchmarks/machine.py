"""The machine that is measured: its device, with clocks by the driver, its processor, and the floor of a device."""

import os
import platform
import shutil
import subprocess
from typing import Any

import gpumcts
from gpumcts.kernels import engines
from gpumcts.kernels.cuda.device import describe
from gpumcts.machine import commit, cpu_name
from gpumcts.resources import total_memory, usable_cores

ASKED = ("name", "driver_version", "clocks.max.sm", "clocks.sm", "clocks.max.mem", "power.limit", "memory.total")
INTEGER_LANES = 64  # operations on 32-bit integers that a multiprocessor does in a cycle
INSTRUCTIONS = {  # on integers, of a uniform playout, counted in machine code: a ply times plies
    "othello": 366 * 62.4  # docs/performance/othello.md
}


def machine() -> dict[str, Any]:
    """What one has to know to compare figures with others."""
    return {
        "device": describe()._asdict(),
        "clocks": clocks(),
        "cpu": cpu_name(),
        "cores": usable_cores(),
        "memory": total_memory(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "versions": {"python": platform.python_version(), "gpumcts": gpumcts.__version__} | engines.packages(),
        "commit": commit(),
    }


def clocks() -> dict[str, str]:
    """What ``nvidia-smi`` says of the first device; empty where it is not there."""
    told = _output("nvidia-smi", f"--query-gpu={','.join(ASKED)}", "--format=csv,noheader,nounits")
    values = told.splitlines()[0].split(",") if told else []
    return dict(zip(ASKED, (value.strip() for value in values), strict=True)) if len(values) == len(ASKED) else {}


def floor(game_name: str) -> float | None:
    """Uniform playouts a second of a device that does their instructions alone, on all lanes at its highest clock."""
    instructions, megahertz = INSTRUCTIONS.get(game_name), clocks().get("clocks.max.sm", "")
    if instructions is None or not megahertz.isdigit():
        return None
    return describe().multiprocessors * INTEGER_LANES * int(megahertz) * 1e6 / instructions


def _output(*command: str) -> str:
    """What a program prints; empty where it is not there or fails."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
