"""Questions the documents leave open: what their runs are called, and what their sweeps end with."""

from pathlib import Path

from experiments.results import Result

TITLES = {"recovery": "Recovery from poor early choices (document 004, remark 1)"}


def recovery(results: list[Result], folder: Path) -> list[str]:
    """One table: iterations until the failure rate stays at 10 %, for every operator and rule on every kind of tree."""
    from experiments.console import show, table

    games = list(dict.fromkeys(result.config["game"]["name"] for result in results))
    rows: dict[str, dict[str, str]] = {}
    for result in results:
        rows.setdefault(result.label, {"run": result.label})[result.config["game"]["name"]] = _needed(result)
    columns = {"run": "left", **dict.fromkeys(games, "right")}
    cells = [[row.get(name, "") for name in columns] for row in rows.values()]
    show(
        table(
            "iterations until at most 10 % of the searches would choose a wrong move (95 % over trees)", columns, cells
        )
    )
    show(
        "-: not within the budget. Judge by the intervals; one table of so many pairs finds differences by chance as well."
    )
    return []


def _needed(result: Result) -> str:
    needed = result.summary["iterations_to"]["0.1"]
    low, high = ("-" if end is None else f"{end:,.0f}" for end in result.summary["iterations_to_95"]["0.1"])
    return f"{'-' if needed is None else f'{needed:,.0f}'} [{low}, {high}]"


CONCLUSIONS = {"recovery": recovery}
