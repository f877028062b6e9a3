"""Workers of a launcher end with the process of their sweep, however that ends."""

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from experiments.app.submitit_settings import A_YEAR
from experiments.app.workers import end_with
from tests.experiments.app.test_launchers import ROOT, needs

CHILD = (
    "import os, time; from experiments.app.workers import end_with; {}; print(os.getpid(), flush=True); time.sleep(60)"
)
PARENT = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', sys.argv[1]]); time.sleep(60)"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def gone(processes, seconds=20.0):
    """Whether all of them have ended after so many seconds at most."""
    return not psutil.wait_procs(processes, timeout=seconds)[1]


@pytest.mark.parametrize(("call", "ends"), [("end_with(os.getppid())", True), ("end_with(1)", False)])
def test_a_worker_ends_with_its_parent_alone(call, ends):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, CHILD.format(call)], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    try:
        assert gone([child], 20.0 if ends else 3.0) == ends
    finally:
        if child.is_running():
            child.kill()
        parent.stdout.close()


def test_the_process_of_a_sweep_watches_nobody():
    end_with(os.getpid())
    assert "parent" not in [thread.name for thread in threading.enumerate()]


def test_a_worker_ends_with_the_parent_of_its_parent():
    """Submitit has a process of its own between a sweep and its run."""
    code = f"import os, psutil; {CHILD.format('end_with(psutil.Process(os.getppid()).ppid())')}"
    between = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    top = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {between!r}, sys.argv[1]])"
    parent = subprocess.Popen(
        [sys.executable, "-c", f"{top}; time.sleep(60)", code], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    try:
        assert gone([child])
    finally:
        if child.is_running():
            child.kill()
        parent.stdout.close()


@pytest.mark.parametrize(("executor", "ends"), [("local", True), ("slurm", False)])
def test_a_run_of_submitit_ends_whose_sweep_was_gone_before_it_looked(executor, ends):
    """By Slurm the sweep may be on another machine, where its process is not seen."""
    sweep = subprocess.Popen([sys.executable, "-c", ""])
    sweep.wait()
    code = f"from experiments.app.workers import end_with; end_with({sweep.pid}); print('works')"
    environment = {**ENVIRONMENT, "SUBMITIT_EXECUTOR": executor}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == ((1, "") if ends else (0, "works\n")), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("launcher", ["joblib hydra.launcher.n_jobs=2", "submitit_local"])
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_sweep_that_is_ended_leaves_no_worker(launcher, sent, tmp_path):
    """Nor where Ctrl-C or SIGTERM reaches the process of the sweep alone. A run of submitit has no hour to end in."""
    needs(launcher.split()[0].removesuffix("_local"))
    words = "match -m seed=1,2 games=100000 game=dots_and_boxes budget.iterations=2000 threads=1 engine=cpu"
    words += f" hydra/launcher={launcher}"
    sweep = subprocess.Popen(
        [sys.executable, "-m", "experiments.match", *words.split()[1:]], cwd=tmp_path, env=ENVIRONMENT,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    workers = []
    try:
        end = time.monotonic() + 120
        while len([*tmp_path.rglob("moves*")]) < 2 and time.monotonic() < end:
            time.sleep(0.2)
        workers = psutil.Process(sweep.pid).children(recursive=True)
        assert len(workers) >= 2
        limits = {worker.environ().get("SUBMITIT_LOCAL_TIMEOUT_S") for worker in workers}
        assert limits == ({str(60 * A_YEAR)} if "submitit" in launcher else {None})
        sweep.send_signal(sent)
        sweep.wait()
        assert gone(workers)
    finally:
        sweep.kill()
        sweep.wait()
        for worker in workers:
            if worker.is_running():
                worker.kill()
