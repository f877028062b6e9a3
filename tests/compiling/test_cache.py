"""The compile cache: its folders, and processes that fill it at the same time."""

import os
import sys
import threading
import types
from pathlib import Path
from typing import NamedTuple

import numba
import pytest
from numba.core.caching import IndexDataCacheFile

from gpumcts.compiling import cache, class_names
from gpumcts.kernels import crossover
from gpumcts.kernels.cuda import device_choices

CLASSES = [IndexDataCacheFile]
try:
    from numba.cuda.core.caching import IndexDataCacheFile as OfCuda

    from gpumcts.kernels import cuda_kernels  # noqa: F401  it has the class guarded

    CLASSES.append(OfCuda)
except ImportError:
    pass


class Mine(NamedTuple):
    """A class of values that is not the library's."""

    size: int = 3


@pytest.fixture
def pointed_back(monkeypatch):
    """Numba's folder is as before afterwards."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", numba.config.CACHE_DIR)
    monkeypatch.setattr(cache, "_library", cache._library)


def test_another_compiler_for_devices_is_another_folder(monkeypatch, tmp_path):
    """Whether it came as a package or with a toolkit."""

    def versions(installed):
        def version(package):
            if package not in installed:
                raise cache.metadata.PackageNotFoundError
            return installed[package]

        monkeypatch.setattr(cache.metadata, "version", version)
        return cache._device_versions()

    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "TOOLKIT", str(tmp_path / "none"))
    assert versions({"numba-cuda": "1", "nvidia-nvvm": "2"}) == [("numba-cuda", "1"), ("nvidia-nvvm", "2")]
    assert versions({"numba-cuda": "1"}) == [("numba-cuda", "1")]
    (tmp_path / "version.json").write_bytes(b"\xff\x00")
    assert len(versions({"numba-cuda": "1"})) == 2
    (tmp_path / "version.json").write_text("13.0")
    assert versions({"numba-cuda": "1"}) == [("numba-cuda", "1"), (str(tmp_path), "13.0")]


@pytest.mark.parametrize("files", CLASSES, ids=lambda files: files.__module__)
def test_two_at_once_find_their_own_code(files, tmp_path, monkeypatch):
    """One is about to write the index that it has read when the other comes: their names for data would be the same."""
    between, other_done = threading.Event(), threading.Event()
    real = files._save_index

    def save_index(self, overloads):
        if "first" in overloads and not between.is_set():
            between.set()
            other_done.wait(0.5)  # it cannot be done before us
        real(self, overloads)

    monkeypatch.setattr(files, "_save_index", save_index)
    made = [files(str(tmp_path), "function", "stamp") for _ in range(2)]
    first = threading.Thread(target=made[0].save, args=("first", "code of the first"))
    first.start()
    assert between.wait(10)
    made[1].save("second", "code of the second")
    other_done.set()
    first.join()
    for key in ("first", "second"):
        assert files(str(tmp_path), "function", "stamp").load(key) == f"code of the {key}"


@pytest.mark.parametrize("files", CLASSES, ids=lambda files: files.__module__)
@pytest.mark.parametrize("gone", ["module", "class"])
def test_an_index_of_a_class_that_is_not_there_is_begun_anew(files, gone, tmp_path, monkeypatch):
    """A user's game was compiled in another folder, or has another name since."""
    module = types.ModuleType("a_game_elsewhere")
    exec("class Mine: pass", module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.Mine.__module__ = module.__name__
    made = files(str(tmp_path), "function", "stamp")
    made.save(module.Mine, "code of theirs")
    assert made.load(module.Mine) == "code of theirs"
    if gone == "module":
        monkeypatch.delitem(sys.modules, module.__name__)
    else:
        del module.Mine
    assert made.load("ours") is None
    made.save("ours", "code of ours")
    assert made.load("ours") == "code of ours"


@pytest.mark.parametrize("files", CLASSES, ids=lambda files: files.__module__)
@pytest.mark.parametrize("kept", [0, 3, 1000], ids=["empty", "cut", "zeros"])
@pytest.mark.parametrize("file", ["function.nbi", "function.1.nbc"])
def test_what_a_crash_of_the_machine_leaves_of_a_file_is_compiled_anew(files, kept, file, tmp_path):
    made = files(str(tmp_path), "function", "stamp")
    made.save("key", "code" * 100)
    text = (tmp_path / file).read_bytes()
    (tmp_path / file).write_bytes(bytes(len(text)) if kept == 1000 else text[:kept])
    assert made.load("key") is None
    made.save("key", "new code")
    assert made.load("key") == "new code"


@pytest.mark.parametrize("files", CLASSES, ids=lambda files: files.__module__)
def test_a_damaged_index_in_a_folder_that_cannot_be_written_keeps_nothing(files, tmp_path, monkeypatch, capsys):
    made = files(str(tmp_path), "function", "stamp")
    made.save("key", "code")
    (tmp_path / "function.nbi").write_bytes(b"")

    def refuse(*_):
        raise OSError(30, "Read-only file system")

    cache._tell.cache_clear()
    monkeypatch.setattr(files, "_open_for_write", refuse)
    assert made.load("key") is None
    assert "Read-only file system; what is compiled is not kept" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    files = IndexDataCacheFile(str(tmp_path), "function", "stamp")
    files.save("key", "code")

    def refuse(*_, **__):
        raise PermissionError("read-only")

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    assert files.load("key") == "code"


@pytest.mark.parametrize("files", CLASSES, ids=lambda files: files.__module__)
def test_a_full_disk_keeps_nothing_and_says_so_once(files, tmp_path, monkeypatch, capsys):
    """Least of all old code under a new key: the index was begun anew, and its first name is that of an old file."""
    made = files(str(tmp_path), "function", "stamp")
    made.save("old", "code of the old")
    made.flush()
    real = files._open_for_write

    def full(self, path):
        if path.endswith(".nbc"):
            raise OSError(28, "No space left on device")
        return real(self, path)

    cache._tell.cache_clear()
    monkeypatch.setattr(files, "_open_for_write", full)
    for key in ("new", "another"):
        made.save(key, f"code of the {key}")
        assert made.load(key) is None
    said = f"gpumcts: the compile cache at {cache.folder()}: No space left on device; what is compiled is not kept\n"
    assert capsys.readouterr().err == said
    monkeypatch.undo()
    made.save("new", "code of the new")
    assert made.load("new") == "code of the new"


@pytest.mark.parametrize("files", CLASSES, ids=lambda files: files.__module__)
def test_a_folder_that_cannot_be_made_stays_the_place_of_the_cache(files, tmp_path, monkeypatch, pointed_back):
    """Numba's own default place would be the folder of the source."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "file"))
    locators = vars(sys.modules[files.__module__])
    locator = locators.get("UserProvidedCacheLocator") or locators["_UserProvidedCacheLocator"]
    found = locator.from_function(test_the_newest_folders_stay, __file__)
    assert found is not None and found.get_cache_path().startswith(str(tmp_path / "file"))


def test_the_newest_folders_stay(tmp_path, monkeypatch, pointed_back):
    monkeypatch.setenv("GPUMCTS_CACHE", str(tmp_path))
    for age in range(4):
        old = tmp_path / "gpumcts" / f"old{age}"
        old.mkdir(parents=True)
        os.utime(old, (1000 - age, 1000 - age))
    cache.choose()
    assert {found.name for found in (tmp_path / "gpumcts").iterdir()} == {"old0", "old1", cache.folder().name}


@pytest.mark.parametrize("chosen", ["GPUMCTS_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_a_folder_that_the_user_chooses_has_one_for_each_version(chosen, tmp_path, monkeypatch, pointed_back):
    for name in ("GPUMCTS_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(chosen, str(tmp_path))
    cache.choose()
    assert cache.folder() == tmp_path / "gpumcts" / cache.digest()


def test_the_newest_folders_of_own_classes_stay(tmp_path, monkeypatch, pointed_back):
    """Those of the library's code are not among them."""
    monkeypatch.setenv("GPUMCTS_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "KEEP_OWN", 2)
    cache.choose()
    for age in range(3):
        for name in (f"own-{age}", f"kernels_{age}"):
            (cache.folder() / name).mkdir()
            os.utime(cache.folder() / name, (1000 - age, 1000 - age))
    mine = class_names.own_classes([Mine()])
    with cache.pointed(mine):
        assert Path(numba.config.CACHE_DIR) == cache.folder(mine)
    assert Path(numba.config.CACHE_DIR) == cache.folder()
    left = {found.name for found in cache.folder().iterdir()}
    assert left == {"own-0", cache.folder(mine).name, "kernels_0", "kernels_1", "kernels_2"}


def test_without_a_place_for_it_a_temporary_folder_serves(tmp_path, monkeypatch, capsys, pointed_back):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GPUMCTS_CACHE", str(tmp_path / "file"))
    cache.choose()
    assert cache.folder().is_dir() and not cache.folder().is_relative_to(tmp_path)
    assert "no compile cache at" in capsys.readouterr().err


def test_without_a_home_a_temporary_folder_serves(monkeypatch, capsys, pointed_back):
    for name in ("GPUMCTS_CACHE", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(cache.Path, "home", homeless)
    cache.choose()
    assert cache.folder().is_dir() and not cache.is_found_by_others()
    assert "no home folder is known, and GPUMCTS_CACHE is not set; compiling for this" in capsys.readouterr().err
    assert crossover.tables()


def test_a_folder_without_permission_has_no_tables_of_the_user(monkeypatch):
    """As root's is in a container that runs as another user."""

    def refuse(self, **_):
        raise PermissionError(13, "Permission denied", str(self))

    before = crossover.tables(), device_choices._table()
    monkeypatch.setattr(cache.Path, "stat", refuse)
    assert (crossover.tables(), device_choices._table()) == before


@pytest.mark.parametrize("package", ["numba-cuda", "nvidia-nvvm", "nvidia-nvjitlink"])
def test_a_newer_compiler_for_devices_starts_a_fresh_folder(monkeypatch, package):
    """Machine code that an older linker made would be loaded for good."""
    versions = {package: "1.0"}

    def version(name):
        if name not in versions:
            raise cache.metadata.PackageNotFoundError
        return versions[name]

    monkeypatch.setattr(cache.metadata, "version", version)
    old = cache.digest.__wrapped__()
    versions[package] = "1.1"
    assert cache.digest.__wrapped__() != old
