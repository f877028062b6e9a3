"""``hydra/launcher=ray`` as a user meets it: wrong keys, what it says, how it ends."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from experiments.app import launchers
from experiments.config.schema import usable_cores
from gpumcts.errors import BadInput
from tests.experiments.app.test_launchers import ROOT, command, needs


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("+hydra.launcher.ray.init.num_cpus=0", "hydra.launcher.ray.init.num_cpus=0: must be an integer above 0"),
        (
            "hydra.launcher.ray.init.num_cpus=2",
            "hydra.launcher.ray.init.num_cpus: a key of Ray's own is added with a plus: "
            "+hydra.launcher.ray.init.num_cpus=...",
        ),
    ],
)
def test_a_wrong_key_of_rays_is_one_line_before_it_starts(run, tmp_path, word, said):
    needs("ray")
    done = run(f"match -m seed=1,2 hydra/launcher=ray {word}")
    assert (done.code, done.out, done.err, list(tmp_path.iterdir())) == (2, "", f"error: {said}\n", [])


def test_the_launcher_of_rays_plugin_that_starts_machines_is_refused():
    with pytest.raises(BadInput, match=r"^hydra/launcher=ray_aws: a sweep starts a Ray of its own on this machine"):
        launchers.check_launcher({"hydra/launcher": "ray_aws"}, {})


@pytest.mark.slow
def test_ray_says_nothing_of_its_own_and_hides_no_result(run, tmp_path):
    """Six lines that differ in numbers alone; a sweep that grows plays what is missing, and tells the rest again."""
    needs("ray")
    line = "playouts -m seed=1 threads=1 engine=cpu hydra.sweep.dir=sweep"
    assert run(f"{line} count=20,30,40").code == 0  # compiled by now: workers have nothing to say of it
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("sweep/*/summary.json")}
    done = command(f"{line} count=20,30,40,50,60,70 hydra/launcher=ray", tmp_path)
    assert done.returncode == 0, done.stderr
    told = sorted(line.partition(":")[0] for line in done.stderr.splitlines())
    assert told == [f"[{number + 1}/6] count={count}" for number, count in enumerate(range(20, 80, 10))], done.stderr
    assert done.stdout.startswith("playouts") and done.stdout.endswith("table.csv, table.parquet, plot.png in sweep\n")
    assert len(before) == 3 and len([*tmp_path.glob("sweep/*/summary.json")]) == 6


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_process_of_ray(number, tmp_path):
    """SIGINT as a terminal sends it, to the whole group; SIGTERM as ``kill`` does, to the sweep alone."""
    needs("ray")
    words = ["-m", "count=100000000", "seed=1,2,3", "threads=1", "engine=cpu", "hydra.sweep.dir=sweep"]
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.playouts", *words, "hydra/launcher=ray"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        begun = time.monotonic()
        while len([*tmp_path.glob("sweep/*/provenance.json")]) < min(2, usable_cores()):
            assert process.poll() is None and time.monotonic() < begun + 120
            time.sleep(0.1)
        family = psutil.Process(process.pid).children(recursive=True)
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130 and "Traceback" not in err and "SIGTERM" not in err, err
    assert err.splitlines()[-1] == "interrupted; the same command starts again" and out == ""
    assert family and not psutil.wait_procs(family, timeout=20)[1]
