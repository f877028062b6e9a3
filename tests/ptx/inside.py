"""Runs cases where the driver is emulated: their names come in by stdin, a line of JSON goes out for each.

A line before a case says that it begins, so that a fault, which ends the process, is known to be its. Every case is run
twice, in another order of threads and with another poison, and tells what both runs found. With ``--found`` no one asks
the CPU what it should be.
"""

import json
import sys
import time
from collections.abc import Callable

from tests.ptx import control, driver_cases, playout_cases, search_cases
from tests.ptx.driver_cases import Outcome

RUNS = 2
MAX_JUMPS = 1 << 26  # back, of a thread, a meeting counted as 64: cases are small


def cases() -> dict[str, Callable[[], Outcome]]:
    """All cases by name; each gives what the emulated device finds, and what tells what it should."""
    found: dict[str, Callable[[], Outcome]] = dict(driver_cases.CASES)
    found |= {str(row): lambda row=row: playout_cases.outcome(row) for row in playout_cases.rows()}
    found |= {str(search): lambda search=search: search_cases.outcome(search) for search in search_cases.searches()}
    found |= {f"case: {name}": lambda name=name: search_cases.case_outcome(name) for name in search_cases.cases()}
    return found


def tell(record: dict) -> None:
    """One line, at once."""
    print(json.dumps(record), flush=True)


def main() -> int:
    """Run the cases that stdin names."""
    known = cases()
    control.limit_steps(MAX_JUMPS)
    for name in sys.stdin.read().splitlines():
        if name not in known:
            print(f"error: no case is called {name!r}", file=sys.stderr)
            return 2
        tell({"begins": name})
        began, found, expect = time.perf_counter(), [], str
        for run in range(RUNS):
            control.begin(run)
            told, expect = known[name]()
            found.append(told)
        expected = expect() if "--found" not in sys.argv else None
        seconds = round(time.perf_counter() - began, 2)
        tell({"case": name, "found": found, "expected": expected, "seconds": seconds})
    return 0


if __name__ == "__main__":
    sys.exit(main())
