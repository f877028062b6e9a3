"""What the check of a device compiles beforehand: kernels, and suites that are rehearsed."""

from pathlib import Path

from benchmarks.device import process, sizes, steps
from benchmarks.device.book import Book
from benchmarks.device.process import Ended

MADE_ON = {"commit": "abc", "device": "A device", "sizes": "brief"}


def test_what_is_planned_is_rehearsed(tmp_path, monkeypatch):
    """Beside the kernels, no more at once than twice the cores; and once for a compile cache."""
    asked = []

    def together(commands, seconds, at_once):
        asked.append((commands, at_once))
        return [Ended(0, [], "") for _ in commands]

    monkeypatch.setenv("GPUMCTS_CACHE", str(tmp_path))
    monkeypatch.setattr(steps, "together", together)
    monkeypatch.setattr(steps, "usable_cores", lambda: 3)
    context = steps.Context(Book(tmp_path / "here", MADE_ON), sizes.BRIEF, "brief", False, "A device")
    folder = Path(process.environment()["GPUMCTS_CACHE"]) / "gpumcts" / steps.cache.folder().name
    folder.mkdir(parents=True)
    planned = [step for step in steps.steps(sizes.BRIEF) if step.name in ("tests", "launch", "tables")]
    for _ in range(2):
        steps.compile_first(context, 9.0, planned)
    ((commands, at_once),) = asked
    assert at_once == 6 and [words[1:] for words in commands[3:]] == [("brief:rehearsed", "launch")]
    steps.compile_first(context, 9.0, planned[:1])
    assert len(asked) == 2 and len(asked[1][0]) == 3
