"""Groups that count in some runs of a sweep and not in others: ``budget`` beside ``player=uct,random``."""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

from experiments.app.overrides import at
from experiments.config.schema import Checked, Given, IdleGroup, Plain

OPPONENT, SAME = "opponent", "same"

Check = Callable[[Plain, Given | None], Checked]


class IdleGroups:
    """What is set and does not count, over the runs of a sweep: refused where it counts in none of them."""

    def __init__(self) -> None:
        self._runs: Counter[str] = Counter()
        self._first: dict[str, IdleGroup] = {}

    def checked(self, check: Check, plain: Plain, given: Given) -> tuple[Checked, frozenset[str]]:
        """A run's checked values, and the groups that do not count for it. Raises BadInput for anything else."""
        idle: frozenset[str] = frozenset()
        while True:
            try:
                return check(plain, given._replace(idle=idle)), idle
            except IdleGroup as error:
                if error.group in idle:
                    raise  # of a check that does not ask for ``idle``
                idle |= {error.group}
                self._runs[error.group] += 1
                self._first.setdefault(error.group, error)

    def refuse_where_in_all(self, runs: int) -> None:
        """Refuse a group that counts in none of so many runs: raises IdleGroup."""
        for group, count in self._runs.items():
            if count == runs:
                raise self._first[group]


def checked_with(idle: IdleGroups | None, check: Check, plain: Plain, given: Given) -> tuple[Checked, frozenset[str]]:
    """Checked values and idle groups of a run of a sweep; a run by itself (None) has none, and raises IdleGroup."""
    return (check(plain, given), frozenset()) if idle is None else idle.checked(check, plain, given)


def without(groups: Collection[str], plain: dict[str, Any]) -> dict[str, Any]:
    """A configuration without these groups, ``backup`` or ``opponent.backup``: two runs may differ in nothing else.

    What the opponent has by ``same`` goes with the player's.
    """
    left = {key: value for key, value in plain.items() if key not in groups}
    if groups and OPPONENT in left:
        of_opponent = {group.removeprefix(f"{OPPONENT}.") for group in groups if group.startswith(f"{OPPONENT}.")}
        following = {group for group in groups if at(left, [OPPONENT, group, "name"]) == SAME}
        left[OPPONENT] = without(of_opponent | following, left[OPPONENT])
    return left
