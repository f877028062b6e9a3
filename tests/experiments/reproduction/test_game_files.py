"""Files of games: found by name where they lie, told by name where they do not, and never written with their place."""

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from experiments.reproduction import command_line, schedule
from experiments.reproduction.command_line import main
from experiments.reproduction.game_files import VARIABLE, lacking, placed, quoted, unplaced_keys, unplaced_word
from experiments.reproduction.schedule import command_of, missing, tasks
from gpumcts.errors import BadInput

WORDS = ["experiment=x", "data.pgn=games.pgn", "deep=6"]


def test_a_file_is_found_in_the_folder_of_the_machine(tmp_path, monkeypatch):
    place = tmp_path / "with spaces"
    place.mkdir()
    monkeypatch.setenv(VARIABLE, str(place))
    with pytest.raises(BadInput, match=rf"data.pgn=games.pgn: .*games.pgn is not there; set {VARIABLE}"):
        placed(WORDS)
    (place / "games.pgn").write_text("")
    assert lacking(WORDS) is None
    found = placed(WORDS)
    assert found == ["experiment=x", f"data.pgn='{place}/games.pgn'", "deep=6"]
    assert [unplaced_word(word) for word in found] == WORDS


@pytest.mark.parametrize("name", ["o'neil", "a b", "[x]{y}=z,ü", "back\\slash", "both\\'", "end\\"])
def test_hydra_reads_any_folder_as_it_is(tmp_path, name):
    path = tmp_path / name
    assert OverridesParser.create().parse_override(f"data.pgn={quoted(path)}").value() == str(path)
    assert command_of(["match"], path)[-1] == f"hydra.sweep.dir={quoted(path)}"
    assert unplaced_word(f"data.pgn={quoted(path / 'games.pgn')}") == WORDS[1]


def test_a_folder_named_from_here_is_the_same_for_a_command_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "files")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "games.pgn").write_text("")
    assert placed(WORDS)[1] == f"data.pgn='{tmp_path}/files/games.pgn'"


def test_a_run_s_identity_has_the_name_of_a_file_alone():
    assert unplaced_keys({"seed": 1, "data": {"pgn": "/home/me/games.pgn", "games": 8}}) == {
        "seed": 1, "data": {"pgn": "games.pgn", "games": 8},
    }  # fmt: skip
    assert unplaced_keys({"seed": 1, "data": {"pgn": None}}) == {"seed": 1, "data": {"pgn": None}}
    assert unplaced_keys({"seed": 1}) == {"seed": 1}


def test_a_run_without_its_file_is_left_out_of_all_and_refused_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(schedule, "RESULTS", tmp_path)
    monkeypatch.setattr(schedule, "tasks", lambda: tasks(tmp_path))
    monkeypatch.setattr(command_line, "tasks", lambda: tasks(tmp_path))
    left = [task.name for task in missing(1.0)]
    assert "ramanujan2010understanding/fig1/all" not in left and "ramanujan2010understanding/table2/all" in left
    assert "ramanujan2010understanding/fig1/all: left out, since" in capsys.readouterr().err
    assert main(["item=ramanujan2010understanding/fig1"]) == 2
    assert "gm_games.pgn is not there; set GPUMCTS_DATA" in capsys.readouterr().err


def test_commands_without_sweeps_get_the_folder_of_a_run(tmp_path):
    for command, key in (("rank", "run"), ("traps", "run"), ("worked", "run"), ("match", "sweep"), ("trees", "sweep")):
        assert command_of([command], tmp_path)[-1] == f"hydra.{key}.dir='{tmp_path}'"
