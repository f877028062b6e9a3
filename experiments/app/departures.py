"""What a command line changes of an experiment: it is told, or refused where the experiment's labels would be wrong."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hydra import compose
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from experiments.app.error_messages import CONF, choices, guess
from experiments.app.overrides import EXPERIMENT, at, key_of, label_of
from experiments.app.sweeps import Job
from experiments.config.amounts import Changes, is_amount
from experiments.config.choosers import all_choosers, by, choosers, texts
from experiments.config.schema import OF_EXPERIMENTS, Plain
from experiments.runs.results import flat
from experiments.runs.run_directory import digest
from gpumcts.errors import BadInput

FREE = (EXPERIMENT, "hydra", "engine", "threads", "memory_gb", "games_in_flight", "objective", "data", "title", "panel")
"""Keys that change nothing an experiment says, or that it leaves to the command line."""
PRESET, NOT_FOR, GAME = "preset", " is not for game=", re.compile(r"^# .* game=(\w+)", re.MULTILINE)
REFERENCE = re.compile(r"\$\{(?:oc\.select:)?([\w.]+)[},]")


@dataclass
class Experiments:
    """The experiments of a command line as their files have them; composing takes a tenth of a second, so once each.

    command : the name of its configuration; more : what adds a user's own folder
    """

    command: str
    more: Sequence[str]
    known: dict[tuple[str, ...], Plain] = field(default_factory=dict)

    @cached_property
    def defaults(self) -> DictConfig:
        """The command's own configuration, which a check may ask for again and again."""
        return compose(self.command, list(self.more))

    def tree(self, words: Sequence[str]) -> Plain:
        """The configuration of some choices, Hydra's part included, references unresolved."""
        key = tuple(sorted(words))
        if key not in self.known:
            composed = compose(self.command, [*words, *self.more], return_hydra_config=True)
            tree: Any = OmegaConf.to_container(composed, resolve=False)
            self.known[key] = tree
        return self.known[key]

    def of(self, composed: DictConfig) -> str | None:
        """The experiment that a configuration was composed with."""
        return composed.hydra.runtime.choices.get(EXPERIMENT)

    def axes(self, experiment: str) -> Mapping[str, Any]:
        """What an experiment sweeps over."""
        return at(self.tree([f"{EXPERIMENT}={experiment}"]), ["hydra", "sweeper", "params"]) or {}

    def departures(self, composed: DictConfig, plain: Plain, given: Sequence[Override]) -> Changes:
        """What the overrides of a run change of its experiment, in the order given.

        Raises BadInput where an axis of the experiment sets what is changed.
        """
        name = self.of(composed)
        others = [o for o in given if key_of(o).split(".")[0] not in FREE]
        if name is None or all(key_of(o) in OF_EXPERIMENTS or key_of(o) in self.axes(name) for o in others):
            return {}
        own = _Own(self, name, others)
        found: Changes = {}
        for override in others:
            if not own.takes(override):
                changes = own.changes(override, plain)
                for key in changes:
                    own.check_no_axis(override, key)
                found |= changes
        return found

    def check_entries(self, composed: DictConfig, given: Sequence[Override]) -> None:
        """Refuse a name that no table of the experiment has: ``column=5``."""
        name = self.of(composed)
        words = {key_of(o): o.value() for o in given if key_of(o) in OF_EXPERIMENTS and not o.is_delete()}
        if name is None or not words:
            return
        tree = self.tree([f"{EXPERIMENT}={name}"])
        for key, names in all_choosers({k: v for k, v in tree.items() if k != "hydra"}).items():
            if key in words and str(words[key]) not in names and not isinstance(words[key], dict | list):
                there = f"there are: {', '.join(names)}"
                raise BadInput(f"{key}={words[key]} is not known{guess(str(words[key]), names)}; {there}")

    def explained(self, error: BadInput, composed: DictConfig, given: Sequence[Override]) -> BadInput:
        """An error about a key that the command line does not name, by the choice of it that brought the key in."""
        name, text = self.of(composed), str(error)
        key = text.partition(":")[0]
        chosen = {key_of(o): str(o.input_line) for o in given}
        if key.partition("=")[0] in chosen:
            return error
        self.check_entries(composed, given)
        if NOT_FOR in text:
            return self._not_for(text, composed, given)
        group = key.rpartition(".")[0]
        if name is not None and f"{key}: unknown key" in text and key not in chosen and group in chosen:
            keys = choosers(self.tree([f"{EXPERIMENT}={name}"]), key.split("."))
            if keys:
                last = key.rpartition(".")[2]
                return BadInput(f"{chosen[group]}: {_sets(name, key, keys)}, and {chosen[group]} has no {last}")
        return error

    def _not_for(self, text: str, composed: DictConfig, given: Sequence[Override]) -> BadInput:
        """An error about a policy and a game: where a preset or an experiment chose the policy, by its name."""
        key = text.partition("=")[0]
        for group in (PRESET, EXPERIMENT):
            choice = composed.hydra.runtime.choices.get(group)
            if choice is not None and key not in map(key_of, given):
                game = at(self.tree([f"{group}={choice}"]), ["game", "name"])
                if group == PRESET and (found := GAME.search((CONF / group / f"{choice}.yaml").read_text("utf-8"))):
                    game = found[1]
                return BadInput(f"{group}={choice} is for game={game}: {text}")
        return BadInput(text)


def check_told_apart(jobs: Sequence[Job], rows: Sequence[Sequence[str]], axes: Sequence[str]) -> None:
    """Refuse two runs that an experiment calls by two names, and that a command line has made one and the same.

    rows : the overrides of each run; axes : the keys that the experiment sweeps over
    """
    seen: dict[str, str] = {}
    for job, row in zip(jobs, rows, strict=True):
        name = label_of(row, axes)
        first = seen.setdefault(digest(job.checked.identity), name)
        if first != name:
            raise BadInput(
                f"{first} and {name} are the same run with the other keys that are given; choose one of them"
            )


@dataclass
class _Own:
    """An experiment as it is without what a run's command line changes of it.

    asked : keys that its labels and tables refer to; values : its configuration with what the run may choose
    """

    experiments: Experiments
    name: str
    given: Sequence[Override]
    words: list[str] = field(init=False)
    axes: Mapping[str, Any] = field(init=False)
    asked: set[str] = field(init=False)
    tree: Plain = field(init=False)
    values: DictConfig = field(init=False)

    def __post_init__(self) -> None:
        self.words = [f"{EXPERIMENT}={self.name}"]
        self.tree, self.axes = self.experiments.tree(self.words), self.experiments.axes(self.name)
        own = [text for key in OF_EXPERIMENTS for text in texts(self.tree.get(key))]
        self.asked = {key for text in own for key in REFERENCE.findall(text)}
        groups = [o for o in self.given if choices(o.key_or_group) and self.takes(o)]
        if groups:
            self.words += [str(o.input_line) for o in groups]
            self.tree = self.experiments.tree(self.words)
        self.values = OmegaConf.create({key: value for key, value in self.tree.items() if key != "hydra"})
        for override in self.given:
            if override not in groups and not override.is_delete() and self.takes(override):
                OmegaConf.update(self.values, key_of(override), override.value(), force_add=True)

    def takes(self, override: Override) -> bool:
        """Whether a key is one that the experiment leaves open, and its labels follow: an axis, its scale, a game that
        its tables ask for."""
        path = key_of(override)
        if path in self.axes or (path in OF_EXPERIMENTS and not isinstance(self.tree.get(path), dict)):
            return True
        return bool({path, f"{path}.name"} & self.asked) and not choosers(self.tree, path.split("."))

    def changes(self, override: Override, plain: Plain) -> Changes:
        """The values that an override changes, each beside the experiment's own."""
        path = key_of(override)
        ours, theirs = at(plain, path.split(".")), self._value(path)
        if choices(override.key_or_group) and not isinstance(ours, dict):  # what it chooses stands at the top
            ours = None if override.is_delete() else override.value()
            theirs = at(self.tree, ["hydra", "runtime", "choices"]).get(str(override.get_key_element()))
        if not isinstance(ours, dict) or not isinstance(theirs, dict):
            return {} if ours == theirs else {path: [ours, theirs]}
        if ours.get("name") != theirs.get("name"):
            return {path: [ours.get("name"), theirs.get("name")]}
        here, there = flat(ours, f"{path}."), flat(theirs, f"{path}.")
        return {key: [here.get(key), there.get(key)] for key in here | there if here.get(key) != there.get(key)}

    def check_no_axis(self, override: Override, key: str) -> None:
        """Refuse a change of what an axis of the experiment sets, whose labels would go on saying the axis's value."""
        if is_amount(key):
            return
        keys = choosers(self.tree, key.split(".")) or self._varying(key)
        if keys:
            raise BadInput(f"{override.input_line}: {_sets(self.name, key, keys)}; choose {' or '.join(keys)}")

    def _varying(self, key: str) -> dict[str, list[str]]:
        """Groups that the experiment sweeps over, whose choices set a key to several values, with those choices."""
        for group in filter(choices, self.axes):
            names = [name.strip() for name in str(self._value(f"hydra.sweeper.params.{group}")).split(",")]
            others = [word for word in self.words if not word.startswith(f"{group}=")]
            trees = [self.experiments.tree([*others, f"{group}={name}"]) for name in names]
            found = [at(tree, key.split(".")) for tree in trees]
            found = [value.get("name") if isinstance(value, dict) else value for value in found]
            if len(set(map(str, found))) > 1 and None not in found:
                return {group: names}
        return {}

    def _value(self, path: str) -> Any:
        """What the experiment has at a path; None where that is nothing."""
        values = self.values
        if path.startswith("hydra."):
            text = at(self.tree, path.split(".", 3)[:3]).get(path.split(".", 3)[3])
            values, path = OmegaConf.merge(self.values, {"_asked": text}), "_asked"
        try:
            found = OmegaConf.select(values, path)
        except OmegaConfBaseException:
            return None
        return OmegaConf.to_container(found, resolve=True) if OmegaConf.is_config(found) else found


def _sets(experiment: str, key: str, keys: Mapping[str, Sequence[str]]) -> str:
    """``experiment=main sets playout by cell=main/informed, ..., main/accelerated``."""
    return f"{EXPERIMENT}={experiment} sets {key} by {by(keys)}"
