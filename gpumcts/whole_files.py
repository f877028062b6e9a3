"""Atomic files: complete or absent, whenever the process dies or the machine crashes. And what a full disk is told by.

An error in the midst of writing names no file: ``naming`` adds what was being written.
"""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)  # of a file system without hard links
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # no space, a quota used up, a file at its limit


def disk_full(error: BaseException) -> str | None:
    """What to say of an error of a full disk, in one line; None for any other."""
    if not isinstance(error, OSError) or error.errno not in FULL:
        return None
    return f"{error.filename or 'a file'} cannot be written: {os.strerror(error.errno)}"


def refused_path(error: BaseException) -> str | None:
    """What to say of a file or folder that this user may not read or write, or whose name is too long, in one line.

    None for any other error.
    """
    if not isinstance(error, OSError) or error.filename is None:
        return None
    if not isinstance(error, PermissionError) and error.errno != errno.ENAMETOOLONG:
        return None
    return f"{error.filename}: {error.strerror}"


@contextmanager
def naming(place: Path, anew: bool = False) -> Iterator[None]:
    """Let errors of a full disk name what is being written in the block, where they name nothing; ``anew``: always."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and (anew or error.filename is None):
            error.filename = str(place)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it holds all of ``data``, or is as it was before. Raises OSError, as writing does.

    The data is on disk before the name points at it, and the name before this returns.
    """
    with _on_disk(path, data) as fresh:
        fresh.replace(path)
        sync_folder(path.parent)


def write_first(path: Path, data: bytes) -> None:
    """As ``write_whole``, but a file that is there already stays, whichever process wrote it.

    Where the file system has no hard links, the last of several processes that write at the same moment wins.
    """
    with _on_disk(path, data) as fresh:
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            if not path.exists():
                fresh.replace(path)
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make sure that the names of new files survive a crash of the machine."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _on_disk(path: Path, data: bytes) -> Iterator[Path]:
    """A file beside ``path`` with all of ``data`` on disk, of a name of its own; it is removed if it is not moved.

    A process number would be no name of its own: containers that share a folder have the same ones.
    """
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with naming(path, anew=True):
            with fresh.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            yield fresh
    finally:
        fresh.unlink(missing_ok=True)
