"""Options of one's own by the dotted names of their modules, on the command line, without a file of YAML."""

import pytest
from hydra import compose, initialize_config_dir

from experiments.app.error_messages import CONF, name_of_choice
from experiments.app.hydra_speed import quicken
from experiments.app.own_modules import register
from experiments.app.task import plain_of
from tests.games.conformance import heap


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    heap.write(tmp_path, "dotted_lab.heap")
    heap.write(tmp_path, "dotted_lab.lacking", ("\nOPTION = Heap\n", ""))
    heap.write(tmp_path, "dotted_lab.classless", ("class Heap(NamedTuple):", "class Heap:"))
    heap.write(tmp_path, "dotted_lab.made", ("\nOPTION = Heap\n", "\nOPTION = Heap()\n"))
    heap.write(tmp_path, "dotted_lab.script", ("\nOPTION = Heap\n", "\nOPTION = Heap\nraise SystemExit(0)\n"))
    heap.write(tmp_path, "dotted_lab.open", ("] = 21\n", "]\n"))
    typed = "stones: Annotated[int, Interval(ge=1, le=60)] = 21"
    heap.write(tmp_path, "dotted_lab.list", (typed, "stones: list = [21]"))
    heap.write(tmp_path, "dotted_lab.odd", (typed, "stones: np.random.Generator | None = None"))
    heap.write(tmp_path, "dotted_lab.beyond", ("] = 21\n", "] = 210\n"))
    heap.write(tmp_path, "dotted_lab.typo", (typed, 'stones: "itn" = 21'))
    yield
    for name in ("heap", "lacking", "classless", "made", "script", "open", "list", "odd", "typo", "beyond"):
        heap.forget(f"dotted_lab.{name}")


def composed(*overrides):
    quicken()
    for _ in range(2):  # the second changes nothing
        register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return plain_of(compose("match", list(overrides)))


def test_a_module_stands_for_a_file_with_its_defaults(lab):
    assert composed("game=dotted_lab.heap")["game"] == {"name": "dotted_lab.heap", "stones": 21}
    assert composed("game=dotted_lab.heap", "game.stones=9")["game"] == {"name": "dotted_lab.heap", "stones": 9}
    assert composed("game=othello")["game"]["name"] == "othello"
    assert composed("game=dotted_lab.open", "game.stones=9")["game"] == {"name": "dotted_lab.open", "stones": 9}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "match game=dotted_lab.heap game.stonez=9",
            "game.stonez: unknown key (did you mean stones?); game=dotted_lab",
        ),
        ("match game=dotted_lab.heap game.stones=99", "game.stones=99: must be an integer in [1, 60]"),
        ("match -m game=othello,dotted_lab.lacking", "game=dotted_lab.lacking: the module has no OPTION: "),
        ("match game=dotted_lab.classless", "game=dotted_lab.classless: its OPTION is no class of fields: write class"),
        ("match game=dotted_lab.made", "game=dotted_lab.made: its OPTION is no class of fields: write class Name("),
        ("match game=dotted_lab.absent", "game=dotted_lab.absent: cannot import it: No module named"),
        ("match game=dotted_lab.open", "game.stones=???: must be an integer in [1, 60]"),
        ("match game=dotted_lab.odd", "dotted_lab.odd: field stones: Generator, or None is no type of a field: take a"),
        ("match game=dotted_lab.list", "dotted_lab.list: field stones: list is no type of a field: take a number,"),
        (
            "match game=dotted_lab.beyond",
            "dotted_lab.beyond: field stones: its default is 210: must be an integer in [1, 60]",
        ),
        ("match game=dotted_lab.typo", "dotted_lab.typo: the type of a field: name 'itn' is not defined"),
        ("match backup@opponent.backup=no_lab.x", "backup=no_lab.x: cannot import it: No module named 'no_lab'"),
    ],
)
def test_what_is_wrong_with_one_is_a_line(run, lab, line, message):
    outcome = run(line)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {message}") and outcome.err.count("\n") == 1


def test_help_shows_its_keys(run, lab):
    shown = [" ".join(line.split()) for line in run("match --help game=dotted_lab.heap").out.splitlines()]
    assert shown == ["game", "dotted_lab.heap", "One heap of ``stones`` stones.", ".stones=21 an integer in [1, 60]"]
    assert ".stones=??? an integer in [1, 60]" in " ".join(run("match --help game=dotted_lab.open").out.split())
    wrong = run("match --help game=dotted_lab.absent")
    assert wrong.code == 2 and wrong.err.startswith("error: game=dotted_lab.absent: cannot import it: No module named")


def test_help_shows_the_options_of_a_folder_of_ones_own(run, lab, tmp_path):
    """By the names of their files, with the values that stand there; they were unknown to it."""
    folder = tmp_path / "conf" / "game"
    folder.mkdir(parents=True)
    (folder / "small.yaml").write_text("name: dotted_lab.heap\nstones: 5\n")
    (folder / "wide.yaml").write_text("defaults: [clobber]\nrows: 3\n")
    shown = run("match --config-dir conf --help game=small").out.splitlines()
    keys = ".stones=5 an integer in [1, 60]"
    assert [" ".join(line.split()) for line in shown] == ["game", "small", "One heap of ``stones`` stones.", keys]
    every = run("match --config-dir conf --help game").out
    assert "*othello" in every and "    small\n" in every and "    wide\n" in every
    assert run("match --config-dir cnf --help game").err == "error: --config-dir cnf: there is no such folder\n"
    (folder / "torn.yaml").write_bytes(b"name: '\xff'\n")
    torn = run("match --config-dir conf --help game=torn")
    assert (torn.code, torn.out) == (2, "") and "game/torn.yaml:1: invalid start byte: a file of conf" in torn.err
    assert run("match --config-dir conf --help game=none").err.startswith("error: --help game=none: game has no none;")


def test_a_module_that_ends_the_program_is_told(run, lab):
    """As a script without a guard does: the command would end without a word, and with exit code 0."""
    outcome = run("match game=dotted_lab.script")
    assert outcome.code == 2 and outcome.err.startswith("error: game=dotted_lab.script: ")
    assert outcome.err.endswith(": SystemExit: 0\n") and outcome.err.count("\n") == 1


@pytest.mark.parametrize("named", ["heap", "heap.py", "dotted_lab/heap", "dotted_lab/heap.py", "./dotted_lab/heap.py"])
def test_a_file_that_stands_for_its_module_is_told_its_dotted_name(run, lab, named):
    outcome = run(f"match game={named}")
    said = f"error: game={named} is not known; a module of your own is named with dots: game=dotted_lab.heap\n"
    assert (outcome.code, outcome.out, outcome.err) == (2, "", said)


def test_a_file_that_ends_with_no_option_is_not_meant(run, lab):
    outcome = run("match game=lacking")
    assert outcome.code == 2 and "dotted_lab" not in outcome.err and "there are: amazons, " in outcome.err


def test_an_experiment_that_replaces_one_is_seen():
    """As one that replaces a choice of ``conf/``; other groups have no modules of one's own."""
    assert name_of_choice("game", "my_lab.chess960") == "my_lab.chess960"
    assert name_of_choice("engine", "my_lab.chess960") is None
