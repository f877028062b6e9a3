"""What the runs of experiments.trees in one folder have worked, kept with each piece: a kill loses one piece of it.

``work.json`` has the iterations, the seconds, and the engine that made the last piece. Where it is not there, the
summary of an earlier version has the same of all runs but interrupted ones. Pieces that are made again count again.
"""

from pathlib import Path
from typing import Any

from experiments.config.json_files import read_json, write_json
from experiments.runs.run_directory import ADVICE, SUMMARY, WORK
from gpumcts.errors import BadInput

GO_ON = "; remove it, and the run goes on without the work so far"


class TreesWork:
    """The work of a run in ``folder``: that of earlier processes, and of this one as far as it was noted.

    Raises BadInput where a file there is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / WORK
        path, advice = (self._path, GO_ON) if self._path.exists() else (folder / SUMMARY, ADVICE)
        known: dict[str, Any] = read_json(path, advice) if path.exists() else {}
        self.iterations, self.seconds = known.get("iterations", 0), known.get("seconds", 0.0)
        if not isinstance(self.iterations, int) or not isinstance(self.seconds, int | float):
            raise BadInput(f"{path} is damaged: it holds no numbers{advice}")
        self._earlier = self.iterations, self.seconds
        self.engine: str | None = known.get("engine")

    def note(self, iterations: int, seconds: float, engine: str) -> None:
        """Put on disk what this process has made so far, in so many seconds."""
        self.iterations, self.seconds = self._earlier[0] + iterations, self._earlier[1] + seconds
        if iterations or self.engine is None:  # a piece without a wrong move has no searches
            self.engine = engine
        write_json(self._path, {"iterations": self.iterations, "seconds": self.seconds, "engine": self.engine})
