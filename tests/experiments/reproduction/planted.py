"""Folders of finished runs over positions, planted by hand: what they hold is chosen, so that cells are known."""

import json
from pathlib import Path
from typing import Any

import yaml

from experiments.rank import rank_config
from experiments.ranking.values import values_file
from experiments.reproduction.cells import Asked, Cell, Digests, Where
from experiments.reproduction.quantities import Measured, Points, Published
from tests.experiments.config.drivers import composed

PGN = "data.pgn=/somewhere/gm_games.pgn"
FIG1 = ("experiment=ramanujan2010understanding/fig1", "scale=document", PGN)
TRAPS = {
    name: (f"experiment=ramanujan2010understanding/{name}", "scale=document", PGN) for name in ("fig2", "softtraps")
}
ALIKE, HALF, BACKWARDS = [5.0, 4.0, 3.0, 2.0, 1.0], [4.0, 5.0, 2.0, 3.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0]
"""Values of five moves: their Spearman correlations with the first are 1, 0.8 and -1."""
RECORD = {
    "name": "a run", "label": "a run", "time": "", "versions": {}, "commit": "c" * 40, "cpu": "x", "cores": 1,
    "engine": "cpu", "device": None, "seed": 1,
}  # fmt: skip
"""What the record of every run has."""


def run_folder(folder: Path, program: str, words: tuple[str, ...], identity: Any, summary: Any) -> Path:
    """A folder with the three files that every finished run has."""
    folder.mkdir(parents=True)
    config = composed(program, *words)
    record = {
        **RECORD, "program": program, "name": program, "command": [f"{program}.py", *words],
        "identity": {**identity, "data": {"pgn": "/somewhere/gm_games.pgn"}},
    }  # fmt: skip
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    (folder / "provenance.json").write_text(json.dumps(record))
    (folder / "summary.json").write_text(json.dumps({"document": config["document"], **summary}))
    return folder


def ranks(folder: Path, values: dict[str, list[float]], rhos: dict[str, float], *words: str, boards: int = 3) -> Path:
    """A run of ranks: each method says ``values`` on every one of some boards, each of a game of its own."""
    summary = {"boards": boards, "methods": {name: {"rho": [rho]} for name, rho in rhos.items()}}
    run_folder(folder, "rank", (*FIG1, *words), {}, summary)
    definitions = rank_config(
        {key: value for key, value in composed("rank", *FIG1, *words).items() if key != "objective"}
    ).policy.definitions
    for name, definition in definitions.items():
        path = values_file(folder, name, definition)
        path.parent.mkdir(exist_ok=True)
        scale = 0.1 if name.endswith("playouts") else 100.0
        lines = [
            {
                "number": n,
                "game": n,
                "ply": 31,
                "position": f"board {n}",
                "values": [scale * one for one in values[name]],
            }
            for n in range(boards)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def traps(folder: Path, item: str, lines: list[dict[str, Any]], summary: dict[str, Any], *words: str) -> Path:
    """A run of soft traps with these lines, one a position."""
    identity = {"delta": 200 if item == "fig2" else 100, "playouts": 1000 if item == "fig2" else 0}
    run_folder(folder, "traps", (*TRAPS[item], *words), identity, {"positions": len(lines), **summary})
    (folder / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def cell(name="othello-k3", wins=563, games=1000, iterations=50_000, **more):
    """A cell of Table 1 (a) of Hashimoto et al. 2012; ``more`` replaces parts of it."""
    budget: dict[str, int | float] = {"games": 1000, "iterations": 50_000}
    published = Published(relation="equals", value=0.563, count=1000, half=0.031, budget=budget, source="Table 1")
    where = {"commits": ["c" * 40], "versions": {}, "cpu": "x", "cores": 2, "engine": "cpu", "device": None, "time": ""}
    told = {
        "paper": "hashimoto2012accelerated",
        "item": "table1a",
        "cell": name,
        "title": name,
        "asked": Asked(command=["match"], keys={}, seed=1, budget={"games": games, "iterations": iterations}),
        "measured": Measured(unit="rate", quantity=Points(wins=wins, draws=0, losses=games - wins)),
        "published": published,
        "digests": Digests(all="0" * 64, first_ten="1" * 64),
        "where": Where(**where),
    }
    return Cell(**{**told, **more})
