"""The check of a device where little is installed: it says what it lacks, and does its steps with what it asks for."""

import json
import os
import subprocess
import venv
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.device import campaign, command, device_tests, packages, steps
from benchmarks.device.book import ABSENT, DONE, FAILED, FILE, UNFINISHED, Entry
from benchmarks.device.device_tests import Results
from benchmarks.device.process import ROOT
from tests import conftest
from tests.ptx.conftest import check_emulator
from tests.ptx.running import run

NO_MORE = ("hydra", "matplotlib", "pydantic", "polars", "rich", "scipy", "xdist")
CALLS = 5


def needed_by(wanted: list[str]) -> dict[str, metadata.Distribution]:
    """Packages with all that they need, as ``numba-cuda[cu13]``, those that are installed here."""
    found: dict[str, metadata.Distribution] = {}
    left, seen = [Requirement(text) for text in wanted], set()
    while left:
        asked = left.pop()
        name, extras = canonicalize_name(asked.name), frozenset(asked.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found[name] = metadata.distribution(name)
        for text in found[name].requires or ():
            part = Requirement(text)
            if part.marker is None or any(part.marker.evaluate({"extra": extra}) for extra in extras or {""}):
                left.append(part)
    return found


def bare(folder: Path, wanted: list[str]) -> str:
    """A Python of its own that has these packages, what they need, and no other."""
    venv.create(folder, with_pip=False, symlinks=True)
    (place,) = folder.glob("lib/python*/site-packages")
    for distribution in needed_by(wanted).values():
        tops = {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}
        for top in tops:
            if not (place / top).exists():
                (place / top).symlink_to(Path(str(distribution.locate_file(top))))
    return str(folder / "bin" / "python")


def test_what_is_missing_is_a_line(tmp_path):
    python = bare(tmp_path / "venv", ["numpy", "pytest"])

    def called(*words):
        command = [python, "-m", "experiments.gpu_check", *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)

    done = called("--campaign", str(tmp_path / "campaign"))
    lacking = ["annotated-types", "filelock", "numba", "psutil"]
    assert done.returncode == 2
    remedy = "pip install -e '.[test]' -c constraints.txt"
    assert done.stderr == f"error: {', '.join(lacking)} not installed: {remedy}\n"
    helped, wrong = called("--help"), called("out", "--suites", "nonesuch")
    assert (helped.returncode, wrong.returncode) == (0, 2)
    assert helped.stdout.startswith("usage: python -m experiments.gpu_check") and helped.stderr == ""
    assert wrong.stderr.startswith("error: --suites: there is no nonesuch; there are launch, ")
    assert packages.missing() == ""


@pytest.mark.slow
def test_a_campaign_with_nothing_else_installed(tmp_path):
    """In the emulator, with small sizes, until no step is left; the packages of the commands are not there."""
    check_emulator()
    python = bare(tmp_path / "venv", [*packages.NEEDED.values(), "numba-cuda[cu13]"])
    lacking = f"import importlib.util as u; print([n for n in {NO_MORE} if u.find_spec(n)])"
    assert run([python, "-c", lacking]).output.split() == ["[]"]
    folder = tmp_path / "campaign"
    command = [python, "-m", "experiments.gpu_check", "--campaign", str(folder), "--minutes", "9", "--sizes", "small"]
    for _ in range(CALLS):
        done = run(command, timeout=1200, environ={"GPUMCTS_MCTSNC": ""})
        if done.code != campaign.TIME_OVER:
            break
    entries = json.loads((folder / FILE).read_text("utf-8"))["steps"]
    assert done.code == campaign.SOUND, [f"{n}: {e['told']}" for n, e in entries.items() if e["state"] == FAILED]
    assert {entry["state"] for entry in entries.values()} == {DONE, ABSENT}
    absent = {name.partition(":")[0] for name, entry in entries.items() if entry["state"] == ABSENT}
    assert not absent & {"tests", "again", *steps.suites.PARTS, "ways", "batches", "caps", "tables"}


# -------------------------------------------------------------------------------------------------- pytest itself fails


@pytest.fixture
def told(tmp_path, monkeypatch):
    """``told(results, *words)``: what processes of pytest find in a sound file and in one that cannot be imported."""
    sound = "import pytest\npytestmark = pytest.mark.gpu\ndef test_a(): pass\n"
    (tmp_path / "test_sound.py").write_text(sound)
    (tmp_path / "test_lacking.py").write_text("import no_such_package\n")
    read = Path(conftest.__file__).read_text("utf-8")
    asks = "def device_problem():\n"
    (tmp_path / "conftest.py").write_text(read.replace(asks, f"{asks}    return ''\n"))
    monkeypatch.setattr(device_tests, "usable_cores", lambda: 1)

    def run_tests(results: Results, *words: str) -> Results:
        files = [str(tmp_path / f"test_{name}.py") for name in ("sound", "lacking")]
        device_tests.run_tests(tmp_path, results, 90.0, ("-c", os.devnull, f"--rootdir={tmp_path}", *words, *files))
        return results

    return run_tests


def test_a_file_that_cannot_be_imported_is_told(told):
    """It costs no other file."""
    results = told(Results.of({}))
    assert results.named("passed") == ["test_sound.py::test_a"] and results.missing == set()
    assert results.broken == ["test_lacking.py"] and not results.sound
    assert results.told().endswith("; test_lacking.py: E   ModuleNotFoundError: No module named 'no_such_package'")


def test_a_pytest_that_fails_is_no_end_of_the_tests(told, tmp_path):
    """Neither a success nor to be tried for ever, at the second attempt too; once it works it is forgotten."""
    results = told(Results.of({}), "--no-such-word")
    assert results.collected == set() and results.told().endswith("pytest ended with 4; see tests.txt")
    book = SimpleNamespace(folder=tmp_path)
    context = SimpleNamespace(book=book, entry=lambda name: Entry(FAILED, data=results.data()))
    again = steps._tests_again(context, Entry(UNFINISHED), 60.0, "again: tests")
    assert again.state == FAILED and again.told == "2 tests failed, 2 of 2 fail alone too"
    assert set(told(results).broken) == {"test_lacking.py"}


@pytest.mark.parametrize(
    "words, said",
    [
        (["out", "--minutes", "0"], "error: --minutes 0: must be more than 0"),
        (["out", "--minutes", "nan"], "error: --minutes nan: must be more than 0"),
        ([], "error: name a FOLDER for a check, or --campaign FOLDER to go on with one, not both"),
        (
            ["out", "--campaign", "out"],
            "error: name a FOLDER for a check, or --campaign FOLDER to go on with one, not both",
        ),
        (["out", "--suites", "nonesuch"], "error: --suites: there is no nonesuch; there are launch, "),
        (["out", "--suites", ","], "error: --suites ',': no suite is named; there are launch, "),
        (["out", "--suites", ""], "error: --suites '': no suite is named; there are launch, "),
        (["--campaign", "out", "--suites", "launch"], "error: --suites: a campaign measures all of them"),
    ],
)
def test_bad_words(monkeypatch, capsys, words, said):
    monkeypatch.setattr("sys.argv", ["gpu_check", *words])
    with pytest.raises(SystemExit) as ended:
        command.main("gpu_check", "about")
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(said)
