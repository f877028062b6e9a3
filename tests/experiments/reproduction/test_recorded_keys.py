"""A recorded cell is what its command makes today: no default has changed under it since."""

import importlib
import json

import pytest

from experiments.app.command import for_hydra, register
from experiments.app.flags import parsed
from experiments.config.scales import as_typed_today
from experiments.reproduction.cells import RESULTS, cells_below

DECIDE_NOTHING = {"threads", "memory_gb", "engine", "games_in_flight"}
AMOUNTS = {"seed", "games"}  # of which a command has several runs, or a run has been given more
OF_A_FILE = {"content"}  # known where the file is


def differing(recorded, today, at=""):
    """The keys of both in which they differ. A key that came later has its default, which changes nothing."""
    found = []
    for key, value in recorded.items():
        if key in DECIDE_NOTHING | AMOUNTS | OF_A_FILE or key not in today:
            continue
        if isinstance(value, dict) and isinstance(today[key], dict):
            found += differing(value, today[key], f"{at}{key}.")
        elif value != today[key]:
            found.append(f"{at}{key}: {value} was recorded, {today[key]} is asked for")
    return found


def runs_of(words):
    """The identities of the runs of a command line."""
    name, *overrides = as_typed_today(list(words))
    command = importlib.import_module(f"experiments.{name}").COMMAND
    register()
    jobs, _ = command._jobs(parsed(for_hydra(overrides)))
    return [json.loads(json.dumps(job.checked.identity)) for job in jobs]


def test_a_default_that_changed_is_seen():
    search = {"leaves_per_tree": 64, "final": "visits"}
    recorded = {"search": search, "seed": 1, "gone": 1}
    assert not differing(recorded, {"search": search | {"roots": 1}, "seed": 2})
    found = differing(recorded, {"search": search | {"leaves_per_tree": 1}})
    assert found == ["search.leaves_per_tree: 64 was recorded, 1 is asked for"]


@pytest.mark.slow
def test_recorded_cells_are_what_their_commands_make():
    cells, runs, found = [cell for cell in cells_below(RESULTS) if cell.asked.command], {}, []
    for cell in cells:
        words = tuple(cell.asked.command)
        runs.setdefault(words, None)
        if runs[words] is None:
            runs[words] = runs_of(words)
        keys = cell.asked.keys
        several = all(isinstance(value, dict) and "game" in value for value in keys.values())
        for recorded in [next(iter(keys.values()))] if several else [keys]:  # of others the command is another one
            least = min((differing(recorded, run) for run in runs[words]), key=len)
            found += [f"{cell.path}: {line}" for line in least]
    assert len(cells) > 200 and not found
