"""Arrays in files (.npz), each there in whole or not at all."""

import io
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.whole_files import write_whole

DAMAGE = (OSError, EOFError, ValueError, TypeError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error)
"""What numpy raises for files that are empty, cut, of another kind, or changed."""


def read_npz(path: Path, names: Sequence[str]) -> list[Any]:
    """The arrays of a file by name, in the order of ``names``; raises BadInput where it is damaged or lacks one."""
    import numpy as np

    try:
        if not zipfile.is_zipfile(path):  # of other files numpy says how to load what they do not hold
            raise zipfile.BadZipFile("it is no .npz archive")
        with path.open("rb") as file, np.load(file) as arrays:
            return [arrays[name] for name in names]
    except DAMAGE as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise BadInput(f"{path} is damaged; remove it, and the run makes it again: {why}") from None


def write_npz(path: Path, **arrays: Any) -> None:
    """Write arrays by name, compressed; the file is there in whole or as it was before."""
    import numpy as np

    data = io.BytesIO()
    np.savez_compressed(data, **arrays)
    write_whole(path, data.getvalue())
