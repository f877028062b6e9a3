"""Types of a table's columns: tables of sweeps that leave different keys empty concatenate."""

from pathlib import Path

import polars
import pytest

from experiments.analysis.column_types import column, types_of
from experiments.analysis.dataframes import write_table
from experiments.runs.results import Result

EMPTY = {"objective": None, "threads": None, "memory_gb": None}


def result(budget, summary=(), program="match", **config):
    record = {"program": program, "name": "a", "label": "a", "commit": None, "device": None, "seed": 1}
    return Result(Path("x"), {**EMPTY, "budget": budget, **config}, record, dict(summary))


def by_iterations(**config):
    budget = {"name": "iterations", "iterations": 100, "seconds": None, "depth": None}
    summary = {"seconds": 1.0, "player": {"first_sees_win_ply": None}}
    return result(budget, summary, backup={"name": "average"}, opponent={"budget": dict(budget)}, **config)


def by_seconds(**config):
    budget = {"name": "seconds", "iterations": None, "seconds": 1, "depth": 3}
    summary = {"seconds": 1.5, "player": {"first_sees_win_ply": 30.5}}
    backup = {"name": "accelerated", "decay": 1}
    return result(budget, summary, backup=backup, opponent={"budget": dict(budget)}, memory_gb=2, **config)


@pytest.fixture
def table(tmp_path):
    def read(*results):
        write_table(list(results), tmp_path)
        return polars.read_parquet(tmp_path / "table.parquet")

    return read


def test_tables_of_sweeps_that_leave_different_keys_empty_concatenate(table):
    both = polars.concat([table(by_iterations()), table(by_seconds())], how="diagonal")
    assert both["config.budget.seconds"].to_list() == both["config.opponent.budget.seconds"].to_list() == [None, 1.0]
    assert both["config.budget.iterations"].to_list() == [100, None]
    assert both["player.first_sees_win_ply"].to_list() == [None, 30.5]


def test_a_column_without_a_value_has_the_type_of_its_key(table):
    schema = table(by_iterations()).schema
    assert polars.Null not in schema.values()
    assert schema["config.budget.seconds"] == schema["config.memory_gb"] == polars.Float64
    assert schema["config.budget.depth"] == schema["config.threads"] == polars.Int64
    assert schema["config.objective"] == schema["run.device"] == schema["run.commit"] == polars.String
    level = table(result({}, program="trees", level=None)).schema
    assert level["config.level"] == polars.Float64


def test_whole_numbers_are_of_the_type_of_their_key(table):
    found = table(by_seconds(games=4.0))
    assert found["config.budget.seconds"].dtype == found["config.backup.decay"].dtype == polars.Float64
    assert found["config.games"].to_list() == [4] and found["config.games"].dtype == polars.Int64


def test_seeds_beyond_int64_are_written_with_those_below(table):
    greatest = result({}, seed=2**64 - 1)
    greatest.provenance["seed"] = 2**64 - 1
    found = table(result({}, seed=1), greatest)
    assert found["run.seed"].to_list() == found["config.seed"].to_list() == [1, 2**64 - 1]
    assert table(result({}, seed=2**63 - 1))["config.seed"].dtype == polars.Int64


def test_an_option_that_is_not_there_any_more_states_no_type():
    moved = result({}, game={"name": "my_lab.moved", "size": None})
    assert "config.game.size" not in types_of([moved])


def test_values_that_do_not_fit_what_is_stated_keep_a_type_of_their_own():
    assert column("config.games", [1, "all"], int) == (["1", "all"], None)
    assert column("config.games", [1, 2.5], int) == ([1.0, 2.5], None)
    assert column("config.runs", ["a", None], float) == (["a", None], None)
