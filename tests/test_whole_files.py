"""Files that are there in whole: what is on disk before a name points at it, and what a failure leaves."""

import errno
import os

import pytest

from gpumcts.whole_files import disk_full, write_first, write_whole

WRITERS = pytest.mark.parametrize("write", [write_whole, write_first])


@pytest.fixture
def order(monkeypatch):
    """What was put on disk and named, in order: the inode of a file or folder that was synced, or ``named``."""
    done, replace, link = [], os.replace, os.link
    monkeypatch.setattr(os, "fsync", lambda handle: done.append(os.fstat(handle).st_ino))
    monkeypatch.setattr(os, "replace", lambda *paths, **how: (done.append("named"), replace(*paths, **how)))
    monkeypatch.setattr(os, "link", lambda *paths, **how: (done.append("named"), link(*paths, **how)))
    return done


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_file_system_without_hard_links_keeps_the_first_file_too(monkeypatch, tmp_path, number):
    """As exFAT, and folders that some containers and clouds mount."""

    def refused(*paths, **how):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refused)
    for data in (b"1", b"2"):
        write_first(tmp_path / "a.json", data)
        assert (tmp_path / "a.json").read_bytes() == b"1" and len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(os, "link", lambda *paths, **how: (_ for _ in ()).throw(OSError(errno.EIO, "planted")))
    with pytest.raises(OSError, match="planted"):
        write_first(tmp_path / "b.json", b"1")


@WRITERS
def test_data_is_on_disk_before_its_name_and_then_the_name(write, order, tmp_path):
    path = tmp_path / "a.json"
    write(path, b"\x00whole\n")
    assert path.read_bytes() == b"\x00whole\n"
    assert order == [path.stat().st_ino, "named", tmp_path.stat().st_ino]
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_there_is_replaced_or_stays(tmp_path):
    path = tmp_path / "a.json"
    for write, left in ((write_first, b"1"), (write_first, b"1"), (write_whole, b"3")):
        write(path, b"3" if path.exists() else b"1")
        assert path.read_bytes() == left
    assert list(tmp_path.iterdir()) == [path]


@WRITERS
def test_a_failure_leaves_the_file_as_it_was(write, monkeypatch, tmp_path):
    def full(handle):
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.json"
    path.write_bytes(b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write(path, b"after")
    assert disk_full(caught.value) == f"{path} cannot be written: No space left on device"
    assert path.read_bytes() == b"before" and list(tmp_path.iterdir()) == [path]


@WRITERS
def test_writers_do_not_meet(write, monkeypatch, tmp_path):
    """As processes of two containers would, which have the same number."""
    path, sync = tmp_path / "a.json", os.fsync

    def in_the_midst(handle):
        monkeypatch.setattr(os, "fsync", sync)
        write(path, b"inner")
        sync(handle)

    monkeypatch.setattr(os, "fsync", in_the_midst)
    write(path, b"outer")
    assert path.read_bytes() == (b"outer" if write is write_whole else b"inner")
    assert list(tmp_path.iterdir()) == [path]
