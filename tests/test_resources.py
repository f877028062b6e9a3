"""What control groups of both versions leave to a process, on trees of files as Linux shows them."""

import pytest

from gpumcts import resources

GIB = 1 << 30
UNLIMITED = 9_223_372_036_854_771_712  # what version 1 shows where nothing limits


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Writes files below the folder of groups, and says of which groups the process is."""
    monkeypatch.setattr(resources, "GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(resources, "OWN", tmp_path / "own")
    resources._quota.cache_clear()

    def write(own, files):
        (tmp_path / "own").write_text(own)
        for name, text in files.items():
            path = tmp_path / "cgroup" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")

    yield write
    resources._quota.cache_clear()


def version_2(folder, limit, used, cached=0, high="max", quota="max 100000"):
    stat = f"anon 5\ninactive_file {cached}\nactive_file 7"
    values = {"max": limit, "high": high, "current": used, "stat": stat}
    return {f"{folder}memory.{name}": value for name, value in values.items()} | {f"{folder}cpu.max": quota}


def version_1(folder, limit, used, cached=0, quota=-1):
    memory, cpu = f"memory/{folder}memory.", f"cpu/{folder}cpu.cfs_"
    stat = f"inactive_file 3\ntotal_inactive_file {cached}"
    of_memory = {f"{memory}limit_in_bytes": limit, f"{memory}usage_in_bytes": used, f"{memory}stat": stat}
    return of_memory | {f"{cpu}quota_us": quota, f"{cpu}period_us": 100_000}


JOB = "system.slice/slurmstepd.scope/job_7/"
CASES = {
    "a container, version 2": (
        "0::/\n",
        version_2("", 4 * GIB, 3 * GIB, cached=GIB, quota="250000 100000"),
        (2 * GIB, 4 * GIB, 2.5),
    ),
    "a batch system's job limits its step, version 2": (
        f"0::/{JOB}step_0/user/task_0\n",
        version_2(JOB, 8 * GIB, 2 * GIB, quota="400000 100000")
        | version_2(f"{JOB}step_0/", "max", GIB)
        | version_2("", "max", 50 * GIB),
        (6 * GIB, 8 * GIB, 4.0),
    ),
    "what is reclaimed from, version 2": ("0::/a\n", version_2("a/", 4 * GIB, GIB, high=2 * GIB), (GIB, 2 * GIB, None)),
    "no limit, version 2": ("0::/a/b\n", version_2("a/b/", "max", GIB), (None, None, None)),
    "a container that sees the machine's names, version 1": (
        "12:cpu,cpuacct:/docker/ab12\n7:memory:/docker/ab12\n1:name=systemd:/docker/ab12\n0::/system.slice\n",
        version_1("", 2 * GIB, 3 * GIB, quota=50_000),
        (0, 2 * GIB, 0.5),
    ),
    "of two groups the narrower counts, version 1": (
        "7:memory:/a/b\n2:cpu:/a/b\n",
        version_1("a/", 3 * GIB, GIB, quota=300_000) | version_1("a/b/", 4 * GIB, 3 * GIB, GIB, quota=200_000),
        (2 * GIB, 3 * GIB, 2.0),
    ),
    "no limit, version 1": (
        "7:memory:/a\n2:cpu:/a\n",
        version_1("a/", UNLIMITED, GIB),
        (UNLIMITED - GIB, UNLIMITED, None),
    ),
    "no groups": ("", {}, (None, None, None)),
    "not what Linux writes": ("nonsense\n0::/\n", {"memory.max": "many", "cpu.max": "100000"}, (None, None, None)),
}


@pytest.mark.parametrize("case", CASES)
def test_what_groups_leave(groups, case):
    own, files, expected = CASES[case]
    groups(own, files)
    assert (resources._memory_left(), resources._memory_limit(), resources._quota()) == expected


def test_a_process_takes_no_more_than_its_groups_and_no_more_than_there_is(groups):
    groups("0::/\n", version_2("", 1 << 20, 1 << 19, quota="150000 100000"))
    assert resources.free_memory() == 1 << 19 and resources.total_memory() == 1 << 20
    assert resources.usable_cores() == min(2, len(resources.os.sched_getaffinity(0)))
    groups("0::/\n", version_2("", 1 << 60, 0, quota="100000000 100000"))
    resources._quota.cache_clear()
    assert resources.total_memory() == resources.psutil.virtual_memory().total < 1 << 60
    assert resources.usable_cores() == len(resources.os.sched_getaffinity(0))


def test_a_machine_without_groups_is_taken_whole(groups, monkeypatch, tmp_path):
    monkeypatch.setattr(resources, "OWN", tmp_path / "no_file")
    assert resources.total_memory() == resources.psutil.virtual_memory().total
    assert resources.usable_cores() == len(resources.os.sched_getaffinity(0))
