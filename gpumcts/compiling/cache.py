"""The disk cache of compiled code: one that cannot be stale, and that processes may fill at the same time.

Numba's own cache sees edits of the file that holds a function, not of the files it inlines. So the cache lives in a
folder named by a hash of every source file of the library, of the options and of the versions. Code that was compiled
for a user's own classes lies in a folder within it, named by a hash of their sources. An edit starts a fresh folder.
"""

import atexit
import contextlib
import errno
import functools
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.caching import IndexDataCacheFile

from gpumcts.compiling import claims
from gpumcts.compiling.flags import JIT_OPTIONS
from gpumcts.compiling.own_sources import version_of

KEEP_FOLDERS = 3
KEEP_OWN = 64  # folders for sets of users' own classes
OWN = "own-"
LOCK = "lock"
DEVICE_PACKAGES = (  # what makes a device's code besides numba: compiler to PTX, linker to machine code
    "numba-cuda",
    "nvidia-nvvm",
    "nvidia-cuda-nvcc-cu12",  # NVVM of CUDA 12
    "nvidia-nvjitlink",
    "nvidia-nvjitlink-cu12",
    "cuda-core",
)
TOOLKIT = "/usr/local/cuda"

UNKNOWN = (ImportError, AttributeError)  # of an index that names a module or class which is not there
DAMAGED = (EOFError, pickle.UnpicklingError)  # of a file that is empty or cut, as a crash of the machine may leave it
_pointing = threading.RLock()
_library = ""
"""The folder of code for the library's own classes; ``choose`` sets it."""


def root() -> Path:
    """The folder of this program in GPUMCTS_CACHE, NUMBA_CACHE_DIR, XDG_CACHE_HOME or ``~/.cache``.

    Raises FileNotFoundError where none of them is set and the user has no home folder, as in some containers.
    """
    chosen = (os.environ.get(name) for name in ("GPUMCTS_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"))
    return Path(next(filter(None, chosen), None) or _home() / ".cache") / "gpumcts"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise FileNotFoundError(errno.ENOENT, "no home folder is known, and GPUMCTS_CACHE is not set", "~") from None


def users_file(name: str) -> Path | None:
    """A file that the user has put into ``root()``; None where it is not there, or the folder cannot be read."""
    try:
        found = root() / name
        return found if found.is_file() else None
    except OSError:  # nothing of ours lies in a folder without permission: ``choose`` has said so
        return None


def folder(classes: frozenset[type] = frozenset()) -> Path:
    """Where code is kept that is compiled for these users' own classes, and for any of the library's."""
    return Path(_library) / f"{OWN}{_own_digest(classes)}" if classes else Path(_library)


def is_found_by_others() -> bool:
    """Whether other processes of this program keep their code in the same folder; not where it cannot be written."""
    try:
        return Path(_library) == root() / digest()
    except FileNotFoundError:  # no home folder
        return False


def keeps(classes: frozenset[type]) -> bool:
    """Whether code for these users' own classes may be kept on disk: their files are what was imported."""
    return all(version_of(kind).certain for kind in classes)


def _own_digest(classes: frozenset[type]) -> str:
    # Compiled code knows classes by their modules: the same text in another module is another option.
    versions = [(kind.__module__, kind.__qualname__, version_of(kind)) for kind in classes]
    found = sorted((module, name, *v.sources.items(), v.constants) for module, name, v in versions)
    return hashlib.sha256(repr(found).encode()).hexdigest()[:20]


@contextlib.contextmanager
def pointed(classes: frozenset[type]) -> Iterator[bool]:
    """Numba's disk cache is ``folder(classes)`` meanwhile: for the decoration of a function, which fixes it.

    Gives whether code is to be kept there: it is not where ``keeps`` says so, or the folder cannot be made.
    """
    kept = keeps(classes)
    with _pointing:
        before = numba.config.CACHE_DIR
        if classes and kept:
            try:
                _begin(folder(classes), KEEP_OWN, OWN)
            except OSError:
                kept = False
        numba.config.CACHE_DIR = str(folder(classes))
        try:
            yield kept
        finally:
            numba.config.CACHE_DIR = before


@functools.cache
def digest() -> str:
    """A hash of the library's sources, as they are at first, of the versions and of the options."""
    package = Path(__file__).parent.parent
    text = hashlib.sha256(repr((JIT_OPTIONS, numba.__version__, np.__version__, llvmlite.__version__)).encode())
    text.update(repr(_device_versions()).encode())
    text.update(repr((sys.version, os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES"))).encode())
    for file in sorted(package.rglob("*.py")):
        text.update(file.read_bytes())
    return text.hexdigest()[:20]


def _device_versions() -> list[tuple[str, str]]:
    """Names and versions of those of DEVICE_PACKAGES that are installed, and of a toolkit that stands in for one."""
    found = []
    for package in DEVICE_PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found.append((package, metadata.version(package)))
    if not any("nvvm" in package or "nvcc" in package for package, _ in found):
        found += _toolkits()  # NVVM is theirs
    return found


def _toolkits() -> list[tuple[str, str]]:
    """What the CUDA toolkits of this machine say of their versions."""
    found = []
    for place in filter(None, (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), TOOLKIT)):
        with contextlib.suppress(OSError):
            found.append((place, (Path(place) / "version.json").read_text("utf-8", "replace")))
    return found


def choose() -> None:
    """Point numba at the folder for the library's present sources.

    The oldest folders are removed so that three remain. Where the folder cannot be written, a temporary one serves this
    process (numba's own default place could hand back stale code), and the reason is printed.
    """
    global _library
    chosen = Path("~")
    try:
        chosen = root() / digest()
        _begin(chosen, KEEP_FOLDERS)
    except OSError as error:
        print(
            f"gpumcts: no compile cache at {chosen}: {error.strerror}; compiling for this process only", file=sys.stderr
        )
        chosen = Path(tempfile.mkdtemp(prefix="gpumcts-"))
        atexit.register(shutil.rmtree, chosen, ignore_errors=True)
    _library = numba.config.CACHE_DIR = str(chosen)


def _begin(chosen: Path, most: int, kind: str = "") -> None:
    """Make a folder the newest of its kind (names that begin so), of which ``most`` stay."""
    chosen.mkdir(parents=True, exist_ok=True)
    os.utime(chosen)
    _prune(chosen.parent, most, kind)


def _prune(parent: Path, most: int, kind: str) -> None:
    """Remove the oldest folders of a kind; another process may be at it too."""
    used: list[tuple[float, Path]] = []
    for found in parent.glob(f"{kind}*"):
        with contextlib.suppress(OSError):
            if found.is_dir():
                used.append((found.stat().st_mtime, found))
    for _, old in sorted(used)[:-most]:
        shutil.rmtree(old, ignore_errors=True)


@functools.cache
def _lock(place: str) -> Any:
    from filelock import FileLock

    return FileLock(os.path.join(place, LOCK))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lock.cache_clear)  # a lock is its process's alone


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


@functools.cache
def _tell(reason: str) -> None:
    """Say once why nothing more is kept."""
    print(f"gpumcts: the compile cache at {folder()}: {reason}; what is compiled is not kept", file=sys.stderr)


def _drop(files: Any, key: Any) -> None:
    """Remove the data of a key that could not be saved: the index may name a file that holds other code."""
    with contextlib.suppress(OSError, KeyError, *UNKNOWN, *DAMAGED):
        os.unlink(files._data_path(files._load_index()[key]))


def _go_on_without(files: type) -> None:
    """Let numba's locator of our folder, beside ``files``, name it where it cannot be written too.

    Numba would turn to its own default place, which could hand back stale code.
    """
    for name, locator in vars(sys.modules[files.__module__]).items():
        if name.endswith("UserProvidedCacheLocator") and not hasattr(locator.ensure_cache_path, "__wrapped__"):
            ensure = locator.ensure_cache_path

            @functools.wraps(ensure)
            def ensured(self: Any, ensure: Callable = ensure) -> None:
                try:
                    ensure(self)
                except OSError as error:
                    _tell(error.strerror or str(error))

            locator.ensure_cache_path = ensured


def in_turns(files: type) -> None:
    """Let processes take turns at the index of a function's compiled code: ``files`` is numba's class, or numba-cuda's.

    They share an index for all types of a function. Two that read it at once would choose the same name for different
    code, and the one whose entry survived could be given the other's.

    The index names classes by their modules. One that names a user's module which this process cannot import, or whose
    class is gone, is begun anew: what it listed is compiled once more. So is one that is damaged, or that names code
    which is.

    Where the disk is full, or the folder cannot be written, nothing is kept, and the reason is printed once.
    """
    _go_on_without(files)

    def guarded(method: Callable) -> Callable:
        def begun_anew(self: Any, *arguments: Any) -> Any:
            try:
                return method(self, *arguments)
            except (*UNKNOWN, *DAMAGED):
                self.flush()
                return method(self, *arguments)

        @functools.wraps(method)
        def call(self: Any, *arguments: Any) -> Any:
            with _turn(self._cache_path):
                try:
                    return begun_anew(self, *arguments)
                except OSError as error:
                    _tell(error.strerror or str(error))
                    _drop(self, arguments[0])

        return call

    def looked_up(load: Callable) -> Callable:
        @functools.wraps(load)
        def call(self: Any, *arguments: Any) -> Any:
            found = load(self, *arguments)
            while found is None and claims.missed():
                found = load(self, *arguments)
            return found

        return call

    if not hasattr(files.save, "__wrapped__"):  # type: ignore[attr-defined]
        files.save = guarded(files.save)  # type: ignore[attr-defined]
        files.load = looked_up(guarded(files.load))  # type: ignore[attr-defined]


in_turns(IndexDataCacheFile)
choose()
