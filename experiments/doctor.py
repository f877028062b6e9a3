"""Look at this machine: versions, cores, SIMD width, GPU, compile cache, and what to install for what is missing.

    python -m experiments.doctor

What is missing is shown with the command that installs it.
"""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from experiments.app.command import Command, Run
from experiments.config.schema import Checked, Given, Plain
from experiments.runs.provenance import versions
from experiments.terminal.console import pairs, show
from gpumcts.errors import BadInput
from gpumcts.machine import cpu_name
from gpumcts.resources import free_memory, total_memory, usable_cores

SIMD_BITS = {"avx512f": 512, "avx2": 256, "avx": 256, "sse2": 128, "neon": 128, "sve": 128}


def doctor_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.doctor, which has no keys."""
    if plain:
        raise BadInput(f"{next(iter(plain))}: unknown key; the command has no keys")
    return Checked({}, "doctor", None)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Look, and say what is there; returns it as the summary."""
    from gpumcts.compiling.cache import folder
    from gpumcts.kernels.cuda.driver import every_device
    from gpumcts.kernels.engines import available

    features = _cpu_features()
    cache = folder()
    size = sum(_size(file) for file in cache.rglob("*"))
    cuda = available()
    summary: dict[str, Any] = {
        "versions": versions(),
        "cpu": cpu_name(),
        "cores": usable_cores(),
        "simd_bits": max((bits for name, bits in SIMD_BITS.items() if name in features), default=64),
        "memory_gb": round(total_memory() / 2**30, 1),
        "memory_free_gb": round(free_memory() / 2**30, 1),
        "cuda": cuda,
        "devices": [found._asdict() for found in every_device()],
        "cache_folder": str(cache),
        "cache_mb": round(size / 1e6, 1),
    }
    summary["advice"] = _advice(cuda)
    show(_table(summary), *summary["advice"])
    return summary


def _cpu_features() -> set[str]:
    import llvmlite.binding as llvm

    return {name for name, there in llvm.get_host_cpu_features().items() if there}


def _size(file: Path) -> int:
    """Bytes of a file; 0 of one that another process has taken away meanwhile."""
    try:
        return file.stat().st_size if file.is_file() else 0
    except FileNotFoundError:
        return 0


def _advice(cuda: dict[str, Any]) -> list[str]:
    """What to install for what is missing, one sentence each."""
    if cuda["cuda"]:
        advice = ["engine=cuda and engine=device play on the device; engine=auto takes what is fastest for the search."]
    else:
        works = "everything but engine=cuda and engine=device works"
        advice = [f"engine=auto takes the CPU, and {works}: {cuda['problem']}."]
    if importlib.util.find_spec("pyspiel") is None:
        how = "pip install -e '.[peers]' -c constraints.txt"
        advice.append(f"Peers to compare with (OpenSpiel) are not installed: {how}")
    return advice


def _device(found: dict[str, Any]) -> str:
    if not found["name"]:
        return "none"
    capability = ".".join(map(str, found["capability"]))
    memory = f"{found['memory'] / 2**30:.0f} GiB"
    words = [found["name"], memory, f"capability {capability}", f"driver for CUDA {found['driver']}", found["identity"]]
    return ", ".join(filter(None, words))


def _every_device(summary: dict[str, Any]) -> dict[str, str]:
    """A row for every device of the machine; the one that is played on says so."""
    played = summary["cuda"]["identity"]
    rows = {}
    for number, found in enumerate(summary["devices"]):
        here = " (this process's)" if played and found["identity"] == played else ""
        rows[f"CUDA device {number}{here}"] = _device(found)
    return rows or {"CUDA device": _device(summary["cuda"])}


def _table(summary: dict[str, Any]) -> Any:
    rows = {
        **summary["versions"],
        "processor": f"{summary['cpu']}, {summary['cores']} cores, SIMD {summary['simd_bits']} bits",
        "memory": f"{summary['memory_gb']} GiB, {summary['memory_free_gb']} free",
        **_every_device(summary),
        "compile cache": f"{summary['cache_folder']}, {summary['cache_mb']} MB",
    }
    return pairs(rows)


COMMAND = Command("doctor", doctor_config, work)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
