"""The record of a campaign: what every step came to, in a file that is written anew after each of them."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from gpumcts.errors import BadInput

FILE = "campaign.json"
DONE, FAILED, UNFINISHED, ABSENT = "done", "failed", "unfinished", "absent"


class Entry(NamedTuple):
    """What a step came to.

    state : DONE, FAILED, UNFINISHED (its time was over: it goes on), or ABSENT (what it needs is not there)
    told : in a line, why it failed, is unfinished or absent, or what came of it
    seconds : over all calls; calls : how many there were
    rows : figures, each a ``Row`` as a dict; data : what the step wants to find when it goes on
    """

    state: str
    told: str = ""
    seconds: float = 0.0
    calls: int = 0
    rows: tuple[dict[str, Any], ...] = ()
    data: dict[str, Any] = {}  # noqa: RUF012


def kind_of(folder: Path) -> str:
    """``check`` or ``campaign``, as the record in a folder says; empty where there is none."""
    try:
        return str(json.loads((folder / FILE).read_text("utf-8"))["made_on"]["kind"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


class Book:
    """The entries by the names of steps, and what they were measured on; kept in a folder.

    Raises BadInput for a folder whose campaign is of another commit or another device, or is no campaign.
    """

    def __init__(self, folder: Path, made_on: dict[str, Any]) -> None:
        self.folder, self.made_on = folder, made_on
        self.entries: dict[str, Entry] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / FILE).exists():
            self._go_on()

    def _go_on(self) -> None:
        file = self.folder / FILE
        try:
            held = json.loads(file.read_text("utf-8"))
            before = dict(held["made_on"])
            entries = {name: Entry(**{**entry, "rows": tuple(entry["rows"])}) for name, entry in held["steps"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput(
                f"{file} is no record of a campaign: {type(error).__name__}: {error}".splitlines()[0]
            ) from None
        for what, now in self.made_on.items():
            if before.get(what) != now:
                raise BadInput(
                    f"{self.folder}: a record of {what} {before.get(what)}, and this is {now}: name another folder"
                )
        self.entries = entries

    def of(self, name: str) -> Entry:
        """A step's entry; an unfinished one that nothing came of yet, if there is none."""
        return self.entries.get(name, Entry(UNFINISHED))

    def write(self, name: str, entry: Entry) -> None:
        """Keep an entry, on disk too."""
        self.entries[name] = entry
        steps = {name: entry._asdict() for name, entry in self.entries.items()}
        self.file(FILE, json.dumps({"made_on": self.made_on, "steps": steps}, indent=1) + "\n")

    def file(self, name: str, content: str) -> None:
        """A file of the folder, whole or not at all."""
        fresh = self.folder / f"{name}.new"
        fresh.write_text(content, "utf-8")
        fresh.replace(self.folder / name)
