"""The file of finished positions: what a kill leaves of its last line goes, and nothing else."""

import json
import resource

import numpy as np
import pytest

from experiments.ranking.lines import Lines
from experiments.ranking.positions import Position
from gpumcts.errors import BadInput

BOARDS = [Position(0, ply, np.zeros(1, np.uint64), f"position {ply}", "") for ply in range(3)]


def line(number, position):
    return json.dumps({"number": number, "position": position}) + "\n"


WHOLE = line(0, "position 0") + line(1, "position 1")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text(WHOLE + line(2, "position 2")[:20])
    return path


def test_a_line_that_was_cut_short_is_dropped_and_added_anew(path):
    lines = Lines(path, BOARDS)
    assert path.read_text() == WHOLE and sorted(lines.found) == [0, 1]
    lines.add({"number": 2, "position": "position 2"})
    assert [one["number"] for one in Lines(path, BOARDS).in_order] == [0, 1, 2]


def test_lines_are_kept_where_a_full_disk_takes_no_file_anew(path):
    """A limit on file sizes stands for the disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        lines = Lines(path, BOARDS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == WHOLE and sorted(lines.found) == [0, 1]


@pytest.mark.parametrize("number", [-2, 3])
def test_a_line_of_no_position_of_the_run_is_refused(path, number):
    path.write_text(line(number, "position 1"))
    with pytest.raises(BadInput, match="line 1: not a position of this run"):
        Lines(path, BOARDS)
