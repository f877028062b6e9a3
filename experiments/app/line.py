"""A command line that may sweep, once it has been read."""

from dataclasses import dataclass

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig

from experiments.app.departures import Experiments
from experiments.app.overrides import once_each, swept_keys


@dataclass(frozen=True)
class Line:
    """A command line as it was read, and the configuration that its first run composes to."""

    name: str  # of the configuration
    more: list[str]  # what adds a user's own folder of configurations
    parser: OverridesParser  # which knows the choices of groups
    given: list[Override]
    sweeps: bool  # whether a value is swept
    first: DictConfig
    experiments: Experiments

    @property
    def names_folder(self) -> bool:
        return any(override.key_or_group == "hydra.sweep.dir" for override in self.given)

    def fixed(self) -> list[str]:
        """The overrides that are the same in all runs."""
        return [str(override.input_line) for override in self.given if not override.is_sweep_override()]

    def _params(self) -> list[str]:
        """What the experiment itself sweeps over."""
        return [f"{key}={value}" for key, value in (self.first.hydra.sweeper.params or {}).items()]

    def swept(self) -> list[str]:
        """The keys that are swept."""
        return swept_keys(self._params(), self.given)

    def drawn(self) -> list[Override]:
        """All overrides, those of the experiment's own sweep before those that were given."""
        return self.parser.parse_overrides([*self._params(), *once_each(self.given)])
