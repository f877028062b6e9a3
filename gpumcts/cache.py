"""The disk cache of compiled code: one that cannot be stale, and that processes may fill at the same time.

Numba's own cache sees edits of the file that holds a function, not of the files it inlines. So the cache lives in a
folder named by a hash of every compiled source file, of the options and of the versions; an edit starts a fresh folder.
"""

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import IndexDataCacheFile

from gpumcts.verbs import JIT_OPTIONS

KEEP_FOLDERS = 3
LOCK = "lock"
DEVICE_PACKAGES = (  # what makes a device's code besides numba: compiler to PTX, linker to machine code
    "numba-cuda",
    "nvidia-nvvm",
    "nvidia-cuda-nvcc-cu12",  # NVVM of CUDA 12
    "nvidia-nvjitlink",
    "nvidia-nvjitlink-cu12",
    "cuda-core",
)

_watched: set[Path] = set()


def root() -> Path:
    """The folder of this program in the user's cache: GPUMCTS_CACHE, XDG_CACHE_HOME or ``~/.cache``."""
    base = os.environ.get("GPUMCTS_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gpumcts"


def folder() -> Path:
    """Where compiled code of this source and these versions is kept."""
    return Path(numba.config.CACHE_DIR)


def digest() -> str:
    """A hash of the sources that compiled code is made of, of the versions and of the options."""
    package = Path(__file__).parent
    text = hashlib.sha256(repr((JIT_OPTIONS, numba.__version__, np.__version__, llvmlite.__version__)).encode())
    text.update(repr(_device_versions()).encode())
    text.update(repr((sys.version, os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES"))).encode())
    for file in sorted({*package.rglob("*.py"), *_watched}):
        text.update(file.read_bytes())
    # Compiled code knows classes by their modules: the same text in another folder is another option.
    for file in sorted(_watched):
        text.update("/".join(file.parts[-2:]).encode())
    return text.hexdigest()[:20]


def _device_versions() -> list[tuple[str, str]]:
    """Names and versions of those of DEVICE_PACKAGES that are installed."""
    found = []
    for package in DEVICE_PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append((package, metadata.version(package)))
    return found


def watch(file: Path | None = None) -> None:
    """Point numba at the folder for the present sources, with ``file`` (a user's own option) among them.

    The oldest folders are removed so that three remain. Where the folder cannot be written, a temporary one serves this
    process (numba's own default place could hand back stale code), and the reason is printed.
    """
    if file is not None:
        _watched.add(file.resolve())
    if os.environ.get("NUMBA_CACHE_DIR"):
        return  # the user has chosen a place; numba.config has read it
    chosen = root() / digest()
    try:
        chosen.mkdir(parents=True, exist_ok=True)
        os.utime(chosen)
    except OSError as error:
        print(
            f"gpumcts: no compile cache at {chosen}: {error.strerror}; compiling for this process only", file=sys.stderr
        )
        chosen = Path(tempfile.mkdtemp(prefix="gpumcts-"))
        atexit.register(shutil.rmtree, chosen, ignore_errors=True)
    else:
        _prune(chosen.parent)
    numba.config.CACHE_DIR = str(chosen)


def _prune(parent: Path) -> None:
    """Remove the oldest folders; another process may be at it too."""
    used: list[tuple[float, Path]] = []
    for found in parent.iterdir():
        with contextlib.suppress(OSError):
            if found.is_dir():
                used.append((found.stat().st_mtime, found))
    for _, old in sorted(used)[:-KEEP_FOLDERS]:
        shutil.rmtree(old, ignore_errors=True)


@functools.cache
def _lock(place: str) -> Any:
    from filelock import FileLock

    return FileLock(os.path.join(place, LOCK))


@contextlib.contextmanager
def _turn(place: str) -> Iterator[None]:
    """One thread at a time in a folder of compiled code; no waiting where it cannot be written, or knows no locks."""
    lock = _lock(place)
    try:
        lock.acquire()
    except (OSError, NotImplementedError):
        yield
        return
    try:
        yield
    finally:
        lock.release()


def in_turns(files: type) -> None:
    """Let processes take turns at the index of a function's compiled code: ``files`` is numba's class, or numba-cuda's.

    They share an index for all types of a function. Two that read it at once would choose the same name for different
    code, and the one whose entry survived could be given the other's.

    The index names classes by their modules. One that names a user's module which this process cannot import, or whose
    class is gone, is begun anew: what it listed is compiled once more.
    """

    def guarded(method: Callable) -> Callable:
        @functools.wraps(method)
        def call(self: Any, *arguments: Any) -> Any:
            with _turn(self._cache_path):
                try:
                    return method(self, *arguments)
                except (ImportError, AttributeError):
                    self.flush()
                    return method(self, *arguments)

        return call

    if not hasattr(files.save, "__wrapped__"):  # type: ignore[attr-defined]
        files.save, files.load = guarded(files.save), guarded(files.load)  # type: ignore[attr-defined]


in_turns(IndexDataCacheFile)
watch()
