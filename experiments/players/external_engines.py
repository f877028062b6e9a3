"""External engines as players of a match: how they are configured, probed and built, for any protocol."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from experiments.config.schema import PlayerConfig
from experiments.config.validation import typed
from experiments.players.contract import Kind, Program
from experiments.players.registry import kind_of
from gpumcts.errors import BadInput
from gpumcts.players.construction import PlayerContext
from gpumcts.players.contract import AnyPlayer
from gpumcts.players.external_engine import ExternalEnginePlayer, check_launch_keys
from gpumcts.players.ranges import Patience as Patience  # for the keys of such players
from gpumcts.players.ranges import Processes as Processes
from gpumcts.programs.process import Log, words_of


class ProgramKeys(Protocol):
    """The keys that every such player has; its NamedTuple has those of its protocol beside them."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def command(self) -> str | None: ...  # noqa: D102
    @property
    def seconds(self) -> float | None: ...  # noqa: D102
    @property
    def patience(self) -> float: ...  # noqa: D102
    @property
    def processes(self) -> int | None: ...  # noqa: D102


def external_engine(keys: Any, program: Program) -> Kind:
    """The kind of player of a protocol; ``keys`` is a NamedTuple with those of ``ProgramKeys`` at least."""

    def configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
        return _configured(typed(keys, plain["player"], f"{prefix}player"), prefix)

    return Kind(configured, _without_a_folder, keys=keys, chance=False, program=program)


def _configured(keys: Any, prefix: str) -> PlayerConfig:
    """The player of checked keys. How many processes it has decides no result."""
    check_launch_keys(keys, f"{prefix}player.")
    identity = {key: value for key, value in keys._asdict().items() if key != "processes"}
    return PlayerConfig(keys.name, {"player": identity}, program=keys)


def _without_a_folder(player: PlayerConfig, context: PlayerContext, iterations: int) -> AnyPlayer:
    """Raises RuntimeError: an external engine needs the folder of its run, which ``build`` gives it."""
    raise RuntimeError(f"{player.name} is built in the folder of a run")


def launch_of(keys: ProgramKeys, prefix: str = "") -> Any:
    """How the program is started, by its kind; raises BadInput where it is not named, or as its kind does."""
    key, program = f"{prefix}player.command", _program_of(keys)
    if keys.command is None:
        raise BadInput(f"{key}=null: name the program, such as '{key}=\"{program.example}\"'")
    return program.launch(words_of(keys.command, key), keys, prefix)


def _program_of(keys: ProgramKeys) -> Program:
    program = kind_of(keys.name).program
    assert program is not None
    return program


_PROBED: dict[Any, str] = {}


def is_missing(keys: ProgramKeys, prefix: str = "") -> bool:
    """Whether there is no file of the program's name, in the current folder or on PATH."""
    return keys.command is not None and shutil.which(words_of(keys.command, f"{prefix}player.command")[0]) is None


def version(game: Any, keys: ProgramKeys, prefix: str = "") -> str:
    """What the program calls itself; it is started once for all runs of a sweep. Raises BadInput where that fails."""
    launch = launch_of(keys, prefix)
    key = (keys.name, repr(game), repr(launch))
    if key not in _PROBED:
        try:
            _PROBED[key] = _program_of(keys).probe(game, launch)
        except BadInput as error:
            raise BadInput(f"{prefix}player.command={keys.command}: {error}") from None
    return _PROBED[key]


def build(
    game: Any, keys: ProgramKeys, side: str, processes: int, folder: Path, on_progress: Callable[[float], None]
) -> ExternalEnginePlayer:
    """The player; what its program says on stderr goes into ``folder``."""
    log = Log(folder / f"{side}.stderr.txt")
    return _program_of(keys).player(game, launch_of(keys), processes, side, log, on_progress)
