"""Many runs as one table of columns, written as Parquet and CSV."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.analysis.column_types import column, types_of
from experiments.runs.results import TABLE, Result, flat
from gpumcts.whole_files import write_whole

if TYPE_CHECKING:
    import polars

LEFT_OUT = ("identity", "earlier")
MAX_INT64 = 2**63 - 1


def write_table(results: list[Result], folder: Path) -> None:
    """One row a run, one column a key, in ``table.csv`` and ``table.parquet``.

    ``config.*`` is the resolved configuration, ``run.*`` the provenance; columns without a prefix are the summary's.
    Every column has a type, so that tables of different sweeps concatenate.
    """
    import polars

    rows, types = [row_of(result) for result in results], types_of(results)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: column(name, [row.get(name) for row in rows], types.get(name)) for name in names}
    frame = polars.DataFrame([_series(name, *values_and_type) for name, values_and_type in columns.items()])
    packed = io.BytesIO()
    frame.write_parquet(packed)
    write_whole(folder / f"{TABLE}.csv", frame.write_csv().encode())
    write_whole(folder / f"{TABLE}.parquet", packed.getvalue())


def _series(name: str, values: Sequence[Any], stated: type | None) -> "polars.Series":
    """A column; whole numbers beyond int64, which seeds may be, are uint64."""
    import polars

    beyond = any(isinstance(value, int) and value > MAX_INT64 for value in values)
    return polars.Series(name, values, polars.UInt64 if beyond else stated)


def row_of(result: Result) -> dict[str, Any]:
    """A run as one flat row; with a document's figure beside it where there is one."""
    provenance = {key: value for key, value in result.provenance.items() if key not in LEFT_OUT}
    provenance["earlier_commits"] = " ".join(result.earlier_commits)
    row = {"program": result.program, "label": result.label, "folder": str(result.folder), **flat(result.summary)}
    published = result.published
    if published is not None:
        from gpumcts.match.statistics import document_interval

        row |= {"document_win_rate": published.win_rate, "document_games": published.games}
        row["document_interval"] = document_interval(published.win_rate, published.games)
    return {**row, **flat(result.config, "config."), **flat(provenance, "run.")}
