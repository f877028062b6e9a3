"""Options of one's own by the dotted names of their modules, ``game=my_lab.chess960``, without a file of YAML.

A source of configurations, a plugin through Hydra's public interface: it stands behind all folders, and has for each
such name what a file would say, the name and the defaults of the option's class.
"""

from pathlib import Path
from typing import Any

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigLoadError, ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import MISSING, OmegaConf

from gpumcts import options

SCHEME = "own"
PATH = f"{SCHEME}://modules"
MAX_NAME = 200  # bytes; file systems know no file by a name much longer, and ``glob`` fails at it
BELOW = ("*", "*/*")
"""Folders below the current one in which a user's modules are looked for."""


def as_module(group: str, choice: str) -> str | None:
    """The dotted name of the module that a user means by its file, ``my_lab/chess960.py``, or by ``chess960`` alone.

    None where there is no such file below the current folder, and for groups without modules of one's own.
    """
    stem = choice.removesuffix(".py")
    if group not in options.FOLDERS:
        return None
    if "/" in stem:
        files = [Path(f"{stem}.py")]
    else:
        named = stem.isidentifier() and len(stem.encode("utf-8", "replace")) <= MAX_NAME
        files = [file for folder in BELOW if named for file in sorted(Path().glob(f"{folder}/{stem}.py"))]
    return next((name for file in files if _has_option(file) and (name := _dotted(file))), None)


def _dotted(file: Path) -> str | None:
    """``my_lab.chess960`` for ``my_lab/chess960.py``, from the current folder; None where that is no module's name."""
    parts = file.with_suffix("").parts
    return ".".join(parts) if len(parts) > 1 and all(part.isidentifier() for part in parts) else None


def _has_option(file: Path) -> bool:
    try:
        return "\nOPTION = " in file.read_text("utf-8", "replace")
    except OSError:
        return False


def own_module(group: str, choice: str) -> bool:
    """Whether a choice of a group names a module of one's own."""
    return group in options.FOLDERS and "." in choice and not choice.endswith((".yaml", ".yml", ".py"))


class OwnModules(ConfigSource):
    """``game/my_lab.chess960``: the option of that module."""

    @staticmethod
    def scheme() -> str:
        """What its path begins with."""
        return SCHEME

    def load_config(self, config_path: str) -> ConfigResult:
        """The name and the defaults of an option. Raises BadInput where its module cannot be imported or has none."""
        if not self.is_config(config_path):
            raise ConfigLoadError(f"Config not found : {config_path}")
        group, _, name = config_path.rpartition("/")
        option: Any = options.option(group, name)
        given = dict.fromkeys(option._fields, MISSING)  # refused where it stays: a field without a default
        config = OmegaConf.create({"name": name, **given, **option._field_defaults})
        return ConfigResult(self.provider, self.full_path(), config, self._get_header_dict(""))

    def available(self) -> bool:
        """Always: whether there is such a module is asked once it is named."""
        return True

    def is_group(self, config_path: str) -> bool:
        """It adds no group."""
        return False

    def is_config(self, config_path: str) -> bool:
        """Whether it is the dotted name of a module, in a group of options."""
        group, _, name = config_path.rpartition("/")
        return own_module(group, name)

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        """None: nobody knows a user's modules before they are named."""
        return []


class BehindAll(SearchPathPlugin):
    """Files come first, ours and a user's."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """Add the source at the end."""
        search_path.append(provider="modules of one's own", path=PATH)


def register() -> None:
    """Register both; a second call changes nothing."""
    for plugin in (OwnModules, BehindAll):
        Plugins.instance().register(plugin)
