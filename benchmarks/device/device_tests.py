"""The tests that need a device, shared out to several processes; each tells of every test, so a later call goes on."""

import json
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.device.process import ROOT, code_of, environment
from gpumcts.resources import usable_cores

CHOSEN = "gpu and not slow and not alone", "gpu and not slow and alone"  # shared out, then in one process
MAX_SHARDS, ALONE_SECONDS, SECONDS_A_TEST = 12, 60.0, 90.0
BROKEN = (2, 3, 4)  # exit codes of a pytest that was interrupted, failed within, or did not know its words
OFTEN = 2  # a test that was begun so often and never ended counts as failed
SAID = "tests.txt"
FIRST = "tests/tree/test_batches_in_flight.py", "tests/tree/test_device_playouts.py"


class Results(NamedTuple):
    """What is known of tests by their names.

    ended : (outcome, seconds, text of a failure); begun : how often; collected : all that there are
    """

    ended: dict[str, tuple[str, float, str]]
    begun: dict[str, int]
    collected: set[str]

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Results":
        """From what an entry keeps."""
        ended = {name: tuple(told) for name, told in data.get("ended", {}).items()}
        return cls(ended, dict(data.get("begun", {})), set(data.get("collected", ())))

    def data(self) -> dict[str, Any]:
        """For an entry to keep."""
        return {"ended": self.ended, "begun": self.begun, "collected": sorted(self.collected)}

    def take(self, file: Path) -> None:
        """Read what a process of pytest told, as far as it came."""
        for line in file.read_text("utf-8").splitlines(keepends=True) if file.exists() else ():
            told = json.loads(line) if line.endswith("\n") else {}
            if "collected" in told:
                self.collected.update(told["collected"])
            elif "begun" in told:
                self.begun[told["begun"]] = self.begun.get(told["begun"], 0) + 1
            elif "ended" in told:
                self.ended[told["ended"]] = (told["outcome"], told["seconds"], told["text"])

    def give_up(self) -> None:
        """Count tests that never end as failed."""
        for name, times in self.begun.items():
            if name not in self.ended and times >= OFTEN:
                self.ended[name] = ("failed", 0.0, f"was begun {times} times and did not end in its time")

    def named(self, outcome: str) -> list[str]:
        """The tests that ended so: ``passed``, ``failed`` or ``skipped``."""
        return [name for name, told in self.ended.items() if told[0] == outcome]

    @property
    def broken(self) -> list[str]:
        """What failed and is no test: files that cannot be imported, and pytest itself."""
        return [name for name in self.named("failed") if "::" not in name]

    @property
    def missing(self) -> set[str]:
        """Those that have not ended."""
        return self.collected - set(self.ended)

    @property
    def sound(self) -> bool:
        """Whether some passed and none failed."""
        return bool(self.named("passed")) and not self.named("failed")

    def told(self) -> str:
        """In a line."""
        counts = [f"{len(self.named(outcome))} {outcome}" for outcome in ("passed", "failed", "skipped")]
        told = f"tests: {', '.join(counts)}" + (f", {len(self.missing)} not yet ended" if self.missing else "")
        whys = [f"{name}: {''.join(self.ended[name][2].splitlines()[-1:])}" for name in self.broken]
        return "; ".join([told, *whys[:1]])


def run_tests(folder: Path, results: Results, seconds: float, words: tuple[str, ...] = ()) -> None:
    """Run the tests that have not ended, as long as there is time; what pytest says goes into the folder."""
    begin, shards = time.monotonic(), max(1, min(MAX_SHARDS, usable_cores()))
    for name in results.broken:  # which is tried anew each time
        del results.ended[name]
    _run_shards(folder, results, CHOSEN[0], shards, max(1.0, seconds - min(ALONE_SECONDS, seconds / 3)), words)
    left = seconds - (time.monotonic() - begin)
    if left > 1:
        _run_shards(folder, results, CHOSEN[1], 1, left, words)
    results.give_up()


def run_alone(folder: Path, name: str, seconds: float) -> tuple[str, float, str]:
    """One test in a process of its own: outcome, seconds, and the text of a failure."""
    results = Results({}, {}, set())
    _run_shards(folder, results, "gpu", 1, min(seconds, SECONDS_A_TEST), (name,))
    return results.ended.get(name, ("failed", seconds, f"did not end within {min(seconds, SECONDS_A_TEST):.0f} s"))


def _run_shards(
    folder: Path, results: Results, chosen: str, shards: int, seconds: float, words: tuple[str, ...]
) -> None:
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as scratch, open(folder / SAID, "ab") as said:
        done = Path(scratch) / "done"
        done.write_text("\n".join(results.ended), "utf-8")
        files = [Path(scratch) / str(number) for number in range(shards)]
        running = [_pytest(chosen, f"{n}/{shards}", file, done, said, words) for n, file in enumerate(files)]
        codes = [code_of(process, until) for process in running]
        for code, file in zip(codes, files, strict=True):
            results.take(file)
            if code in BROKEN or (code not in (None, 0, 1, 5) and not file.exists()):  # pytest itself failed
                results.ended[f"pytest {chosen}"] = ("failed", 0.0, f"pytest ended with {code}; see {SAID}")


def _pytest(chosen: str, shard: str, results: Path, done: Path, said: Any, words: tuple[str, ...]) -> subprocess.Popen:
    """Warnings of packages newer than these tests are none of theirs; a file that cannot be imported costs no other."""
    options = ["-m", "pytest", "-q", "-W", "default", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    options += [
        "-m",
        chosen,
        *(["-n", "0"] if find_spec("xdist") else []),
    ]  # an option of pytest-xdist, which is not needed
    more = {
        "GPUMCTS_NEED_GPU": "1",
        "GPUMCTS_SHARD": shard,
        "GPUMCTS_RESULTS": str(results),
        "GPUMCTS_RESULTS_BEFORE": str(done),
    }
    own = words if any("::" in word or word.endswith(".py") for word in words) else (*test_files(), *words)
    command = [sys.executable, *options, *own]
    return subprocess.Popen(command, cwd=ROOT, env=environment() | more, stdout=said, stderr=subprocess.STDOUT)


def test_files() -> list[str]:
    """Those with tests for a device; others may import what is not installed.

    Whole searches by ``engine=cuda`` come first: they are few, and most of the time goes into compiling for the rest.
    """
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    found = [str(file.relative_to(ROOT)) for file in files if "pytest.mark.gpu" in file.read_text("utf-8")]
    return [*FIRST, *(name for name in found if name not in FIRST)]
