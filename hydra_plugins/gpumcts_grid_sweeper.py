"""``hydra/sweeper=grid``: every combination of the swept values, as Hydra's basic sweeper makes them.

The command has composed and checked all runs already (``experiments.app.command``). So none is composed again before it
is launched, as the basic sweeper does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

from experiments.app.overrides import combinations

CONFIG = "multirun.yaml"


class GridSweeper(Sweeper):
    """All combinations; the last swept key varies fastest.

    max_batch_size : runs that the launcher is given at a time, None for all of them
    params : values of keys that are swept, those of the command line go before
    left_out : numbers of combinations that repeat an earlier one in other words; the command fills them in
    """

    def __init__(
        self,
        max_batch_size: int | None = None,
        params: Mapping[str, str] | None = None,
        left_out: Sequence[int] = (),
    ) -> None:
        self._size, self._params, self._left_out = max_batch_size, dict(params or {}), frozenset(left_out)

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Make the launcher that is chosen."""
        self.hydra_context, self.config = hydra_context, config
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: list[str]) -> list[Sequence[JobReturn]]:
        """Launch all runs."""
        assert self.config is not None and self.launcher is not None and self.hydra_context is not None
        parser = OverridesParser.create(config_loader=self.hydra_context.config_loader)
        words = [*(f"{key}={value}" for key, value in self._params.items()), *arguments]
        every = combinations(parser.parse_overrides(words))
        rows = [row for number, row in enumerate(every) if number not in self._left_out]
        folder = Path(str(self.config.hydra.sweep.dir))
        folder.mkdir(parents=True, exist_ok=True)
        OmegaConf.save(self.config, folder / CONFIG)
        size, found = self._size or len(rows), []
        for begin in range(0, len(rows), size):
            found.append(self.launcher.launch(rows[begin : begin + size], initial_job_idx=begin))
        return found


@dataclass
class GridSweeperConf:
    """Its keys under ``hydra.sweeper``."""

    _target_: str = f"{GridSweeper.__module__}.{GridSweeper.__name__}"
    max_batch_size: int | None = None
    params: dict[str, str] = field(default_factory=dict)  # none of them would end OmegaConf's update in an assertion
    left_out: list[int] = field(default_factory=list)


ConfigStore.instance().store(group="hydra/sweeper", name="grid", node=GridSweeperConf, provider="gpumcts")
