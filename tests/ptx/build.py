"""Compiles the emulator's driver and translated kernels with gcc, once each, in a folder, by what they are made of.

``GPUMCTS_PTX_CACHE`` names the folder; without it, it lies beside the compile cache of gpumcts.
"""

import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.ptx.reading import PtxError, read
from tests.ptx.translation import translate

HERE = Path(__file__).parent
SOURCES = HERE / "emulator"
DRIVER = "libcuda.so.1"
COMMON = ["-std=gnu11", "-O1", "-fPIC", "-shared", "-fwrapv", "-fno-strict-aliasing"]
# IEEE to the last bit: no fused products, no excess precision; square roots without ``errno`` are one instruction.
KERNELS = [*COMMON, "-w", "-ffp-contract=off", "-fno-math-errno"]


class BuildError(RuntimeError):
    """What the compiler lacks or says, on one line."""


def folder() -> Path:
    """Where shared objects are kept."""
    if found := os.environ.get("GPUMCTS_PTX_CACHE"):
        return Path(found)
    base = os.environ.get("GPUMCTS_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpumcts-ptx"


def driver() -> Path:
    """The stand-in for the driver's library, in a folder of its own for the loader's search path."""
    sources = sorted(SOURCES.glob("*.c"))
    target = folder() / f"driver-{_digest(*sorted(SOURCES.iterdir()))}" / DRIVER
    if not target.exists():
        flags = [*COMMON, "-Wall", "-Wextra", "-Werror", f"-Wl,-soname,{DRIVER}"]
        _compile([*flags, *map(str, sources), "-lpthread", "-ldl", "-lm"], target)
    return target


def kernel(ptx: str) -> Path:
    """The shared object of the one kernel of a PTX text, which lies beside it. Raises PtxError, and BuildError."""
    own = hashlib.sha256(ptx.encode()).hexdigest()[:20]
    target = folder() / f"kernels-{_translation_digest()}" / f"{own}.so"
    if target.exists():
        return target
    code = translate(read(ptx))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.with_suffix(".ptx").write_text(ptx)
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "kernel.c"
        source.write_text(code)
        library = driver()
        link = [f"-I{SOURCES}", str(source), f"-L{library.parent}", f"-l:{DRIVER}", "-lm"]
        _compile([*KERNELS, *link], target)
    return target


@functools.cache
def _translation_digest() -> str:
    return _digest(
        SOURCES / "lane.h", *(HERE / f"{name}.py" for name in ("reading", "instructions", "translation", "build"))
    )


def _digest(*files: Path) -> str:
    text = hashlib.sha256()
    for file in files:
        text.update(file.read_bytes())
    return text.hexdigest()[:16]


def _compile(arguments: list[str], target: Path) -> None:
    """Run gcc; the target is there whole or not at all, whoever else makes it at the same time."""
    if shutil.which("gcc") is None:
        raise BuildError("the PTX emulator compiles kernels with gcc, which is not on the path")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as place:
        made = Path(place) / target.name
        done = subprocess.run(["gcc", *arguments, "-o", str(made)], capture_output=True, text=True)
        if done.returncode:
            said = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
            raise BuildError(f"gcc refuses {target.name}: {said}")
        made.replace(target)


__all__ = ["BuildError", "PtxError", "driver", "folder", "kernel"]
