"""JSON objects in files, each there in whole or as it was before."""

import json
from pathlib import Path
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.whole_files import write_whole


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; raises BadInput where there is none."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}".replace("\n", " ")) from None
    if not isinstance(value, dict):
        raise BadInput(f"{path} holds no JSON object")
    return value


def write_json(path: Path, value: Any) -> None:
    """Write a JSON value so that the file is there in whole or as it was before, whenever the machine crashes."""
    write_whole(path, (json.dumps(value, indent=2) + "\n").encode())
