"""How cases run in processes of their own: a fault ends a process, not the cases behind it; CI skips nothing."""

import json

import pytest

from tests.ptx import conftest, record, running
from tests.ptx.running import FAULT_EXIT, Done, run_cases


def lines(*records):
    """What ``inside`` prints."""
    return "".join(json.dumps(record) + "\n" for record in records)


def test_a_fault_is_its_own_cases_alone(monkeypatch):
    first = {"case": "first", "found": ["1"] * 2, "expected": "1"}
    third = {"case": "third", "found": ["3"] * 2, "expected": "3"}
    ended = Done(FAULT_EXIT, lines({"begins": "first"}, first, {"begins": "second"}), "", ["emulated device: a race"])
    rest = Done(0, lines({"begins": "third"}, third), "", [])
    asked, answers = [], [ended, rest]

    def run_inside(names, timeout):
        asked.append(names)
        return answers.pop(0)

    monkeypatch.setattr(running, "run_inside", run_inside)
    found = run_cases(["first", "second", "third"])
    assert found == {"first": first, "second": {"fault": "emulated device: a race"}, "third": third}
    assert asked == [["first", "second", "third"], ["third"]]


def test_a_process_that_begins_nothing_is_an_error(monkeypatch):
    monkeypatch.setattr(running, "run_inside", lambda names, timeout: Done(1, "", "ImportError: no such thing", []))
    with pytest.raises(RuntimeError, match="^exit code 1: ImportError: no such thing$"):
        run_cases(["first"])


def test_nothing_is_skipped_in_ci(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="^gcc not installed$"):
        conftest.check_emulator()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="^CI lacks gcc$"):
        conftest.check_emulator()


def test_a_record_of_cases_goes_on(monkeypatch, tmp_path, capsys):
    """What a file has is not run again; outcomes unlike the CPU's, and faults, are told, and the exit code is 1."""
    found = {
        "equal": {"found": ["1"] * 2, "expected": "1", "seconds": 2.0},
        "other": {"found": ["1", "2"], "expected": "1", "seconds": 1.0},
        "faulty": {"fault": "emulated device: a race"},
    }
    asked = []

    def some(names, timeout):
        asked.append(list(names))
        return {name: found[name] for name in names}

    monkeypatch.setattr(record, "cases", lambda: found)
    monkeypatch.setattr(record, "run_cases", some)
    monkeypatch.setattr(record, "BATCH", 2)
    file = tmp_path / "cases.jsonl"
    assert record.record(file, ["equal"]) == 0 and record.record(file, []) == 1 and record.record(file, []) == 1
    assert asked == [["equal"], ["other", "faulty"]]
    told = capsys.readouterr().out.splitlines()
    assert told[-3:] == [
        "other: another outcome than the CPU",
        "faulty: emulated device: a race",
        "3 cases, 1 equal to the CPU's, 3 s",
    ]
    file.write_text(file.read_text() + '{"case')
    with pytest.raises(ValueError, match="is no record of cases"):
        record.record(file, [])
