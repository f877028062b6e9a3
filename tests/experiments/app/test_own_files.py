"""A user's own file of configurations that is no YAML: one line that names the file and the line."""

import pytest

FILES = {
    "name: [my_lab.heap\n": "mine.yaml:1: while parsing a flow sequence: expected ',' or ']', but got '<stream end>'",
    "name: my_lab.heap\n\tstones: 3\n": "mine.yaml:2: while scanning for the next token: found character '\\t'",
    "name: my_lab: heap\n": "mine.yaml:1: mapping values are not allowed here",
    "name: my_lab.heap\nname: other\n": "mine.yaml:2: while constructing a mapping: found duplicate key name",
    "stones: 3\nname: caf\xe9\n": "conf/game/mine.yaml:2: invalid continuation byte: a file of configurations is ",
    "name: \x01\n": "unacceptable character #x0001: special characters are not allowed in ",
}


@pytest.mark.parametrize("text", FILES)
def test_a_file_that_is_no_yaml_is_one_line(run, tmp_path, text):
    folder = tmp_path / "conf" / "game"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text(text, encoding="latin-1")
    outcome = run("playouts --config-dir conf game=mine count=2")
    (line,) = outcome.err.splitlines()
    assert (outcome.code, outcome.out) == (2, "")
    assert line.startswith("error: ") and FILES[text] in line
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["mine.yaml"]
