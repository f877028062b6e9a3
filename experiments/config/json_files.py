"""JSON objects in files, each there in whole or as it was before."""

import json
from pathlib import Path
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.whole_files import write_whole


def read_json(path: Path, advice: str = "") -> dict[str, Any]:
    """The JSON object in a file; raises BadInput where there is none, with ``advice`` where the file is damaged."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:  # not JSON, or no text; a parser's words help nobody
        value = None
    if not isinstance(value, dict):
        raise BadInput(f"{path} is damaged: it holds no JSON object{advice}")
    return value


def write_json(path: Path, value: Any) -> None:
    """Write a JSON value so that the file is there in whole or as it was before, whenever the machine crashes."""
    write_whole(path, (json.dumps(value, indent=2) + "\n").encode())
