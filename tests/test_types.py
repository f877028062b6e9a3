"""What type checkers know of the package: the public names are typed in full, and unknown ones are refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import gpumcts
from gpumcts import options

ROOT = Path(__file__).resolve().parent.parent
INTERFACE = ("gpumcts.api.", "gpumcts.players.descriptions.", "gpumcts.validation.", "gpumcts.options.")
USES = """
import gpumcts as g

game = g.make("othello")
search = g.Search(game, selection=g.selection.Ucb1(exploration=1.0), backup=g.backup.Accelerated(), solve=True)
reveal_type(search(g.start(game, batch=4), iterations=10, seed=1).best)
reveal_type(g.games())
reveal_type(g.play_match(game, (search.player(iterations=10), g.players.Random())).interval)
"""
WRONG = {
    '"nope" is not a known attribute': "g.nope",
    '"Nope" is not a known attribute': "g.playouts.Nope",
    'No parameter named "bogus"': "g.Search(game, bogus=1)",
    'No parameter named "explore"': "g.selection.Ucb1(explore=1)",
    'to parameter "players"': "g.play_match(game, (search, search))",
}


def _pyright(*words: str) -> dict:
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", *words]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout)


@pytest.mark.slow
def test_public_names_are_typed_in_full():
    report = _pyright("--verifytypes", "gpumcts", "--ignoreexternal")["typeCompleteness"]
    assert Path(report["packageRootDirectory"]) == ROOT / "gpumcts"
    homes = {f"gpumcts.{name}" for name in gpumcts.__all__}
    homes |= {f"{option.__module__}.{option.__name__}" for kind in options.FOLDERS for option in _classes(kind)}
    public = [
        symbol
        for symbol in report["symbols"]
        if symbol["name"] in homes or symbol["name"].rpartition(".")[0] in homes or symbol["name"].startswith(INTERFACE)
    ]
    assert len(public) > 200
    assert [symbol["name"] for symbol in public if not symbol["isTypeKnown"]] == []


def _classes(kind: str) -> list[type]:
    return list(options.classes(kind).values())


@pytest.mark.slow
def test_wrong_names_are_refused_and_right_ones_known(tmp_path):
    file = tmp_path / "use.py"
    file.write_text(USES + "\n".join(WRONG.values()), "utf-8")
    told = _pyright(str(file))["generalDiagnostics"]
    known = [message["message"] for message in told if message["severity"] == "information"]
    assert len(known) == 3 and not any("Unknown" in message for message in known)
    errors = [message["message"] for message in told if message["severity"] == "error"]
    for wrong in WRONG:
        assert any(wrong in error for error in errors), (wrong, errors)
    assert len(errors) == len(WRONG)
