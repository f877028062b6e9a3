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
        """Names of the folders of the runs that ended since the sweep began, the earliest end first."""
        return list(self._ends())

    def left(
        self, run: str = "", share: float = 0.0, earlier: float = 0.0, made: float = 0.0, worked: float = 0.0
    ) -> float | None:
        """Seconds that the rest of the sweep takes, by the pace so far; None where too little is known of it.

        run : the folder of a run that goes on; share : how much of it is done, in [0, 1]; earlier : what an earlier
        sweep did of that; made : the share of it that was done in ``worked`` seconds, loading and compiling left out.
        Other runs that go on meanwhile count as half done.
        """
        ends = self._ends()
        total = sum(self.costs.values()) + max(0, self.runs - len(self.costs)) - earlier * self._cost(run)
        done = sum(self._cost(name) for name in ends if name != run)
        done += (share - earlier) * self._cost(run)
        paced, seconds = self._paced(ends, run)
        paced, seconds = paced + made * self._cost(run), seconds + worked / self.at_once
        if total <= 0 or not is_known(paced / total, seconds):
            return None
        under_way = min(self.at_once, self.runs - len(ends)) - 1
        if under_way > 0:
            done += under_way * (total - done) / max(1, self.runs - len(ends)) / 2
        return max(0.0, seconds * (total - done) / paced)

    def words(
        self,
        run: str = "",
        share: float = 0.0,
        earlier: float = 0.0,
        made: float = 0.0,
        worked: float = 0.0,
        short: bool = False,
    ) -> str:
        """The same for people: ``sweep: 3 of 12 runs done, about 14 min left``; short, ``sweep 3/12, 14 min left``."""
        seconds, done = self.left(run, share, earlier, made, worked), len(self.done())
        rest = "" if seconds is None else f"{duration(seconds)} left"
        if short:
            return ", ".join(filter(None, [f"sweep {done}/{self.runs}", rest]))
        return f"sweep: {done} of {self.runs} runs done{', about ' if rest else ''}{rest}"

    def _ends(self) -> dict[str, float]:
        """When the runs ended that ended since the sweep began, by the names of their folders, the earliest first."""
        found = {}
        for path in self.folder.glob(f"*/{self.summary}"):
            try:
                found[path.parent.name] = path.stat().st_mtime
            except OSError:  # it is being replaced
                continue
        since = self.begun - 1  # clocks of file systems are coarse
        return {name: at for name, at in sorted(found.items(), key=lambda one: one[1]) if at >= since}

    def _paced(self, ends: Mapping[str, float], run: str) -> tuple[float, float]:
        """What was done from one run's end to another's, and in how many seconds.

        The first run of each process compiles and loads what later ones have at hand, and tells no pace. Nor do runs
        that cost nothing, which earlier sweeps did.
        """
        names, times = list(ends), [self.begun, *ends.values()]
        took = [(self._cost(name), times[i + 1] - times[i]) for i, name in enumerate(names) if name != run]
        of_pace = [(cost, seconds) for cost, seconds in took if cost > 0][self.at_once :]
        return sum(cost for cost, _ in of_pace), sum(seconds for _, seconds in of_pace)

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
