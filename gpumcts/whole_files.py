"""Atomic files: complete or absent, whenever the process dies or the machine crashes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it holds all of ``data``, or is as it was before. Raises OSError, as writing does.

    The data is on disk before the name points at it, and the name before this returns.
    """
    with _on_disk(path, data) as fresh:
        fresh.replace(path)
        sync_folder(path.parent)


def write_first(path: Path, data: bytes) -> None:
    """As ``write_whole``, but a file that is there already stays, whichever process wrote it."""
    with _on_disk(path, data) as fresh:
        with suppress(FileExistsError):
            os.link(fresh, path)
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
    """A file beside ``path``, this process's own, with all of ``data`` on disk; it is removed if it is not moved."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield fresh
    finally:
        fresh.unlink(missing_ok=True)
