"""How much of a sweep is done and how long the rest takes, by what its runs leave on disk: so every worker knows it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from experiments.terminal.pace import is_known


@dataclass(frozen=True)
class SweepClock:
    """The clock of a sweep.

    folder : of the sweep; summary : the file that a run leaves in its own folder when it ends
    runs : how many there are
    costs : what each run takes, by the name of its folder, in any unit; runs that are not named take 1
    at_once : runs that go on at the same time
    begun : when the sweep began, as ``time.time()`` tells it
    """

    folder: Path
    summary: str
    runs: int
    costs: Mapping[str, float] = field(default_factory=dict)
    at_once: int = 1
    begun: float = field(default_factory=time.time)

    def done(self) -> list[str]:
        """Names of the folders of the runs that ended since the sweep began."""
        found = []
        for path in self.folder.glob(f"*/{self.summary}"):
            try:
                if path.stat().st_mtime >= self.begun - 1:  # clocks of file systems are coarse
                    found.append(path.parent.name)
            except OSError:  # it is being replaced
                continue
        return found

    def left(self, run: str = "", share: float = 0.0, earlier: float = 0.0, compiled: float = 0.0) -> float | None:
        """Seconds that the rest of the sweep takes, by what was done so far; None where too little is done to tell.

        run : the folder of a run that goes on; share : how much of it is done, in [0, 1]; earlier : what an earlier
        sweep did of that; compiled : seconds of this process that were no work. Other runs that go on meanwhile count
        as half done.
        """
        ended = self.done()
        total = sum(self.costs.values()) + max(0, self.runs - len(self.costs)) - earlier * self._cost(run)
        done = sum(self._cost(name) for name in ended if name != run)
        done += (share - earlier) * self._cost(run)
        seconds = max(0.0, time.time() - self.begun - compiled)
        if total <= 0 or not is_known(done / total, seconds):
            return None
        under_way = min(self.at_once, self.runs - len(ended)) - 1
        if under_way > 0:
            done += under_way * (total - done) / max(1, self.runs - len(ended)) / 2
        return max(0.0, seconds * (total - done) / done)

    def words(
        self, run: str = "", share: float = 0.0, earlier: float = 0.0, compiled: float = 0.0, short: bool = False
    ) -> str:
        """The same for people: ``sweep: 3 of 12 runs done, about 14 min left``; short, ``sweep 3/12, 14 min left``."""
        seconds, done = self.left(run, share, earlier, compiled), len(self.done())
        rest = "" if seconds is None else f"{duration(seconds)} left"
        if short:
            return ", ".join(filter(None, [f"sweep {done}/{self.runs}", rest]))
        return f"sweep: {done} of {self.runs} runs done{', about ' if rest else ''}{rest}"

    def _cost(self, name: str) -> float:
        return self.costs.get(name, 1.0) if name else 0.0


def duration(seconds: float) -> str:
    """Seconds for people, in two units at most: 45 s, 12 min, 3 h 20 min, 2 d 4 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"
