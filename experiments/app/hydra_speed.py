"""Two parts of Hydra that did the same work over and over, replaced: most of the time of a sweep of a hundred short runs.

Hydra composes a run of a sweep twice, to see that it can be composed and then to work, and parses some twenty files of YAML each
time. We compose and check every run before Hydra does anything. Here files are parsed once, and the second look is left out.
"""

import copy
import dataclasses
import os
from collections.abc import Sequence

from hydra._internal.core_plugins import file_config_source
from hydra._internal.sources_registry import SourcesRegistry
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult
from hydra.plugins.sweeper import Sweeper


class FileConfigSource(file_config_source.FileConfigSource):
    """Hydra's source of configuration files, which gives a copy of what it has read before where the file is the same still.

    It has the name of Hydra's own, which Hydra would register later, and then leaves this one in its place.
    """

    _read: dict[tuple[str, int, int], ConfigResult] = {}

    def load_config(self, config_path: str) -> ConfigResult:
        """The configuration of a file below ``path``; raises ConfigLoadError where there is none."""
        path = os.path.realpath(os.path.join(self.path, self._normalize_file_name(config_path)))
        try:
            file = os.stat(path)
        except OSError:
            return super().load_config(config_path)  # which says what is wrong
        key = (path, file.st_mtime_ns, file.st_size)
        if key not in self._read:
            self._read[key] = super().load_config(config_path)
        found = self._read[key]
        # Hydra takes the defaults list out of what it is given, and sets the package in the header.
        return dataclasses.replace(
            found, provider=self.provider, config=copy.deepcopy(found.config), header=dict(found.header)
        )


def _composed_already(sweeper: Sweeper, batch: Sequence[Sequence[str]]) -> None:
    """In the place of ``validate_batch_is_legal``: ``Command`` has composed and checked all of the batch."""


def quicken() -> None:
    """Put both in the place of Hydra's own."""
    SourcesRegistry.instance().types[FileConfigSource.scheme()] = FileConfigSource
    for sweeper in Plugins.instance().discover(Sweeper):
        if sweeper.__name__ == "BasicSweeper":
            sweeper.validate_batch_is_legal = _composed_already  # type: ignore[method-assign]
