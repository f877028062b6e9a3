"""Runs the cases of kernels and searches one batch after another, and keeps what each found: the slow set, stop and go.

    python -m tests.ptx record FILE [WORD ...]

FILE gets a line of JSON for each case that has run: its name, whether both runs equalled the CPU's outcome, the fault
that ended it if one did, its seconds, and the commit. Cases that FILE has are not run again. With words, only those
cases whose names have one.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.ptx.inside import cases
from tests.ptx.running import ROOT, run_cases

RECORD = ROOT / "tests" / "data" / "ptx.jsonl"  # of this checkout
BATCH = 8  # cases of a process: a stop loses no more of them


def known(file: Path) -> dict[str, dict]:
    """The records of a file by their cases' names; none where there is no file. Raises ValueError for another file."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    try:
        return {record["case"]: record for record in map(json.loads, lines)}
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{file} is no record of cases") from None


def batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The names in groups of ``BATCH``."""
    for first in range(0, len(names), BATCH):
        yield names[first : first + BATCH]


def judged(name: str, record: dict, commit: str) -> dict:
    """What FILE keeps of a case."""
    equal = "fault" not in record and record["found"] == [record["expected"]] * 2
    told = {"fault": record.get("fault"), "seconds": record.get("seconds")}
    return {"case": name, "equal": equal, **told, "commit": commit}


def commit_here() -> str:
    """The commit of this checkout, with a + where files differ from it; empty where git knows none."""
    command = ["git", "describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def record(file: Path, words: Sequence[str]) -> int:
    """Run what is missing; 1 where a case differs or faults, in this call or an earlier one."""
    wanted = [name for name in cases() if not words or any(word in name for word in words)]
    done, commit = known(file), commit_here()
    with file.open("a", encoding="utf-8") as out:
        for names in batches([name for name in wanted if name not in done]):
            for name, found in run_cases(names, timeout=7200).items():
                done[name] = judged(name, found, commit)
                print(json.dumps(done[name]), file=out, flush=True)
            print(f"{sum(name in done for name in wanted)} of {len(wanted)} cases", file=sys.stderr)
    bad = [done[name] for name in wanted if not done[name]["equal"]]
    for case in bad:
        print(f"{case['case']}: {case['fault'] or 'another outcome than the CPU'}")
    seconds = sum(done[name]["seconds"] or 0 for name in wanted)
    print(f"{len(wanted)} cases, {len(wanted) - len(bad)} equal to the CPU's, {seconds:.0f} s")
    return int(bool(bad))
