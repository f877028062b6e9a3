"""Cores and memory that this process may use: of the machine, and of what a container or a batch system allows.

On Linux these limit memory and processor time by control groups, of which both versions are read. A group counts with
all groups above it, as far as they can be seen; in a container these are the groups of the container.
"""

import functools
import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import psutil

GROUPS, OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
MEMORY_FILES = (  # of version 2, then 1: limits, what is used, and the key of what is cached and may be dropped
    (("memory.max", "memory.high"), "memory.current", "inactive_file"),
    (("memory.limit_in_bytes",), "memory.usage_in_bytes", "total_inactive_file"),
)


def usable_cores() -> int:
    """Cores this process may use: of the machine, of its affinity, and of a container's or batch system's quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return cores if quota is None else max(1, min(cores, math.ceil(quota)))


def free_memory() -> int:
    """Bytes of memory that are free, of the machine and of what a container or batch system allows this process."""
    free, left = psutil.virtual_memory().available, _memory_left()
    return free if left is None else min(free, left)


def total_memory() -> int:
    """Bytes of memory that the machine has, or that a container or batch system allows this process where less."""
    total, limit = psutil.virtual_memory().total, _memory_limit()
    return total if limit is None else min(total, limit)


# ------------------------------------------------------------------------------------------------------ control groups


def _memory_left() -> int | None:
    """Bytes that this process and others of its groups may still take; None where no group limits them."""
    left = [max(0, limit - used) for limit, used in _memory()]
    return min(left, default=None)


def _memory_limit() -> int | None:
    """Bytes that this process and others of its groups may take in all; None where no group limits them."""
    return min((limit for limit, _ in _memory()), default=None)


@functools.cache
def _quota() -> float | None:
    """Cores of whose time this process's groups may take all; None where no group limits it."""
    return min(_quotas(), default=None)


def _memory() -> Iterator[tuple[int, int]]:
    """Limit and use of each group that limits memory, in bytes; files cached in memory are not used."""
    for folder in _folders("memory"):
        for limits, used, cached in MEMORY_FILES:
            for limit in (_number(folder / name) for name in limits):
                if limit is not None:
                    yield limit, (_number(folder / used) or 0) - _statistic(folder / "memory.stat", cached)


def _quotas() -> Iterator[float]:
    """Cores that each group's quota of processor time amounts to."""
    for folder in _folders("cpu"):
        quota, *period = _words(folder / "cpu.max")[:2] or ("max",)
        if quota == "max":
            quota = next(iter(_words(folder / "cpu.cfs_quota_us")), "-1")
            period = _words(folder / "cpu.cfs_period_us")[:1]
        if quota.isdecimal() and period and period[0].isdecimal() and int(period[0]):
            yield int(quota) / int(period[0])


def _folders(controller: str) -> list[Path]:
    """The groups of a controller that this process is in, from its own up to the highest that is seen."""
    found: list[Path] = []
    for line in _lines(OWN):
        names, _, path = line.partition(":")[2].partition(":")
        if names and controller not in names.split(","):
            continue
        own = PurePosixPath(path.lstrip("/"))
        for base in (GROUPS / controller,) if names else (GROUPS, GROUPS / "unified"):
            found += [base / part for part in (own, *own.parents)]
    return [folder for folder in dict.fromkeys(found) if folder.is_dir()]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except OSError:
        return []


def _words(path: Path) -> list[str]:
    return " ".join(_lines(path)).split()


def _number(path: Path) -> int | None:
    """A file's number; None for ``max``, and where there is no file."""
    word = next(iter(_words(path)), "")
    return int(word) if word.isdecimal() else None


def _statistic(path: Path, key: str) -> int:
    """A value of a file of keys and values; 0 where it is not there."""
    found = [line.split()[-1] for line in _lines(path) if line.partition(" ")[0] == key]
    return int(found[0]) if found else 0
