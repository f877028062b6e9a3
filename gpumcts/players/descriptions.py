"""Players as users describe them: values that a match makes players of.

A description says what decides the moves, and nothing of the machine. ``identity`` has the same keys as the record of a
run of the commands, so that a match begun by one goes on by the other.
"""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from gpumcts.errors import BadInput
from gpumcts.options import identity, named, value_of
from gpumcts.players import gtp, uci
from gpumcts.players.construction import (
    PlayerContext,
    alpha_beta_player,
    minimax_player,
    pvs_player,
    random_player,
    uct_player,
)
from gpumcts.players.contract import AnyPlayer
from gpumcts.players.external_engine import check_launch_keys
from gpumcts.players.ranges import (
    Best,
    Depth,
    GtpSeconds,
    Iterations,
    Leaf,
    Nodes,
    Patience,
    Playouts,
    Processes,
    TableMebibytes,
    Ties,
    UciDepth,
    UciNodes,
    UciSeconds,
    Uctk,
)
from gpumcts.programs.process import Log, words_of
from gpumcts.tree.settings import Settings
from gpumcts.validation import checked, said


class Description(Protocol):
    """What ``play_match`` takes as a player."""

    def identity(self) -> dict[str, Any]:
        """What decides the moves, JSON values."""
        ...

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput where it cannot play the game."""
        ...


class Origin(NamedTuple):
    """The ``Search`` that a player comes from: its game, and what it may use."""

    game: Any
    engine: str
    threads: int
    memory_limit: int | None


def checked_settings(given: Mapping[str, Any]) -> Settings:
    """Settings of a search; raises BadInput for unknown ones, values out of range, and settings without effect."""
    settings: Settings = checked(Settings, given, "search")
    check_settings(settings)
    return settings


def check_settings(settings: Settings) -> None:
    """Refuse settings of a search without effect, by the names that they have under ``search``; raises BadInput."""
    if settings.expansion != "threshold" and settings.threshold != 1:
        raise BadInput(f"search.threshold={settings.threshold}: counts with search.expansion='threshold' alone")
    for key in ("replacement", "stored_above"):
        value = getattr(settings, key)
        if settings.table is None and value != Settings._field_defaults[key]:
            raise BadInput(f"search.{key}={value!r}: counts with search.table alone")


class Random(NamedTuple):
    """Random moves, as uniform playouts draw them (Ramanujan et al. 2010, Table 1: *Random*).

    >>> import gpumcts as g
    >>> g.players.Random()
    Random()
    """

    def identity(self) -> dict[str, Any]:
        """What decides the moves, JSON values."""
        return {"player": {"name": "random"}}

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player."""
        return random_player(context)


class Uct(NamedTuple):
    """A search by playouts; ``Search.player`` gives one.

    iterations : a move, 1 to 2^31 - 1
    playout, selection, backup : options or their names; settings : a ``gpumcts.tree.settings.Settings``
    origin : the ``Search`` that it comes from, if any

    >>> import gpumcts as g
    >>> g.players.Uct(iterations=500, backup=g.backup.Accelerated(decay=0.99)).iterations
    500
    """

    iterations: Iterations = 1000
    playout: Any = "uniform"
    selection: Any = "ucb1"
    backup: Any = "average"
    settings: Any = Settings()
    origin: Any = None

    def identity(self) -> dict[str, Any]:
        """What decides the moves, JSON values; raises BadInput for parts that are none."""
        if not isinstance(self.settings, Settings):
            raise BadInput(f"players.Uct.settings={said(self.settings)}: must be a gpumcts.tree.settings.Settings")
        if not isinstance(self.origin, Origin | None):
            raise BadInput(f"players.Uct.origin={said(self.origin)}: must be None; search.player(...) gives one")
        settings = checked_settings(self.settings._asdict())
        return {
            "player": {"name": "uct"},
            "playout": identity(value_of("playout", self.playout)),
            "selection": identity(value_of("selection", self.selection)),
            "backup": identity(value_of("backup", self.backup)),
            "search": settings.identity(),
            "budget": {"iterations": self.iterations, "playouts_per_leaf": settings.playouts_per_leaf},
        }

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput where parts do not go together, or memory does not suffice."""
        own = context if self.origin is None else self._own(context)
        playout, rule = value_of("playout", self.playout), value_of("selection", self.selection)
        return uct_player(own, self.iterations, playout, rule, value_of("backup", self.backup), self.settings)

    def _own(self, context: PlayerContext) -> PlayerContext:
        """What its ``Search`` may use; raises BadInput where that searches another game."""
        own: Origin = self.origin
        if own.game != context.game or type(own.game) is not type(context.game):
            raise BadInput(f"players: a Search of {own.game!r} does not play {context.game!r}; make one of this game")
        workers = context.workers if own.threads == context.cores else None
        return context._replace(engine=own.engine, threads=own.threads, memory_limit=own.memory_limit, workers=workers)


class MonteCarlo(NamedTuple):
    """Plain Monte-Carlo planning (Kocsis et al. 2006 and Kocsis and Szepesvári 2006: *MC*): uniform moves of the root,
    the highest average is played.

    iterations : a move; playout : a policy or its name; playouts_per_leaf : of an iteration

    >>> import gpumcts as g
    >>> g.players.MonteCarlo(iterations=100).playouts_per_leaf
    1
    """

    iterations: Iterations = 1000
    playout: Any = "uniform"
    playouts_per_leaf: Playouts = 1

    def identity(self) -> dict[str, Any]:
        """What decides the moves, JSON values."""
        return {"player": {"name": "mc"}, **_playing_out(self)}

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput where the policy is not for the game, or memory does not suffice."""
        return self.search().build(context, folder)

    def search(self) -> Uct:
        """The search that it is: of the root's moves alone, each as likely."""
        settings = Settings(expansion="root", final="value", playouts_per_leaf=self.playouts_per_leaf)
        rule, operator = named("selection", "uniform", {}), named("backup", "average", {})
        return Uct(self.iterations, self.playout, rule, operator, settings)


class Sensei(NamedTuple):
    """UCT as Sensei's Library has it: children on a leaf's second visit, unvisited ones first, solved nodes.

    iterations : a move; playout : a policy or its name; playouts_per_leaf : of an iteration
    uctk : UCTK of win rate + UCTK sqrt(ln(parent.visits) / (5 child.visits)), in [0, 1e6]
    best : what the move played has most of, ``win_rate`` or ``visits``; solve : prove wins and losses

    >>> import gpumcts as g
    >>> g.players.Sensei(iterations=100).best
    'win_rate'
    """

    iterations: Iterations = 1000
    playout: Any = "uniform"
    playouts_per_leaf: Playouts = 1
    uctk: Uctk = 1.0
    best: Best = "win_rate"
    solve: bool = True

    def identity(self) -> dict[str, Any]:
        """What decides the moves, JSON values."""
        keys = {"name": "sensei", "uctk": self.uctk, "best": self.best, "solve": self.solve}
        return {"player": keys, **_playing_out(self)}

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput where the policy is not for the game, or memory does not suffice."""
        return self.search().build(context, folder)

    def search(self) -> Uct:
        """The search that it is, by a selection rule of its own and averages."""
        final = "visits" if self.best == "visits" else "value"
        settings = Settings(final=final, solve=self.solve, playouts_per_leaf=self.playouts_per_leaf)
        rule, operator = named("selection", "sensei", {"uctk": self.uctk}), named("backup", "average", {})
        return Uct(self.iterations, self.playout, rule, operator, settings)


def _playing_out(player: MonteCarlo | Sensei) -> dict[str, Any]:
    budget = {"iterations": player.iterations, "playouts_per_leaf": player.playouts_per_leaf}
    return {"playout": identity(value_of("playout", player.playout)), "budget": budget}


class AlphaBeta(NamedTuple):
    """Alpha-beta to the ends of the game (Kocsis et al. 2006 and Kocsis and Szepesvári 2006, section 3.1), a random
    move where it does not get there.

    leaves : finished games that a move's search may take
    best_so_far : play the best of the moves that are searched in place of a random one (Kocsis and Szepesvári 2006,
        footnote 8)

    >>> import gpumcts as g
    >>> g.players.AlphaBeta(leaves=10_000).best_so_far
    False
    """

    leaves: Iterations = 1000
    best_so_far: bool = False

    def identity(self) -> dict[str, Any]:
        """What decides the moves, JSON values."""
        keys = {"name": "alpha_beta", "best_so_far": self.best_so_far}
        return {"player": keys, "budget": {"iterations": self.leaves}}

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput where chance moves."""
        return alpha_beta_player(context, self.leaves, self.best_so_far)


class Pvs(NamedTuple):
    """Principal-variation search over the game's evaluation, by iterative deepening (Kocsis et al. 2006, section 3.3).

    nodes : positions that a move's search may visit, or depth : plies it looks ahead; one of them is given
    table_mb : MiB of the hash table of each thread

    >>> import gpumcts as g
    >>> g.players.Pvs(depth=4).table_mb
    16
    """

    nodes: Nodes | None = None
    depth: Depth | None = None
    table_mb: TableMebibytes = 16

    def identity(self) -> dict[str, Any]:
        """What decides the moves, JSON values; raises BadInput where not exactly one limit is given."""
        limits = {"nodes": self.nodes, "depth": self.depth}
        given = {unit: value for unit, value in limits.items() if value is not None}
        if len(given) != 1:
            raise BadInput(
                f"players.Pvs: takes nodes or depth, one of them; here nodes={self.nodes}, depth={self.depth}"
            )
        return {"player": {"name": "pvs", "table_mb": self.table_mb}, "budget": given}

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput where chance moves."""
        return pvs_player(context, self.nodes, self.depth, self.table_mb)


class Minimax(NamedTuple):
    """Minimax of a fixed depth (Ramanujan et al. 2010, sections 3 to 5: *MM-k*, and *MM-k-R* with playouts).

    depth : plies it looks ahead, its own move included
    leaf : what stands at the horizon, ``evaluation`` or ``playout`` (the outcome of one random playout)
    quiescence : follow noisy moves beyond the horizon, where the game tells which are
    ties : which of the best moves is played: ``random``, ``first``, ``noisy`` or ``noisiest``
    table_mb : MiB of the hash table of each thread

    >>> import gpumcts as g
    >>> g.players.Minimax(depth=3).leaf
    'evaluation'
    """

    depth: Depth
    leaf: Leaf = "evaluation"
    quiescence: bool = False
    ties: Ties = "random"
    table_mb: TableMebibytes = 16

    def identity(self) -> dict[str, Any]:
        """What decides the moves, JSON values."""
        keys = {"name": "minimax", "leaf": self.leaf, "quiescence": self.quiescence, "ties": self.ties}
        return {"player": {**keys, "table_mb": self.table_mb}, "budget": {"depth": self.depth}}

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput where chance moves, or the game knows no noisy moves."""
        return minimax_player(context, self.depth, self.leaf, self.quiescence, self.ties, self.table_mb)


@contextlib.contextmanager
def _about_command(player: Any) -> Iterator[None]:
    """Errors of an external engine name the argument that names the engine."""
    try:
        yield
    except BadInput as error:
        told = str(error).removeprefix(f"command={player.command}: ")
        raise BadInput(f"players.{type(player).__name__}: command={player.command!r}: {told}") from None


class Gtp(NamedTuple):
    """An external engine that speaks GTP 2; its matches have no digest, since nobody can repeat its games.

    command : the program and its arguments, as a shell would split them; setup : GTP commands it is sent at its start
    seconds : wall-clock time a move that it is told to keep to
    patience : seconds after which an answer counts as a hang
    processes : of it, and games in flight, at most; one a thread if None

    >>> import gpumcts as g
    >>> g.players.Gtp("gnugo --mode gtp --level 1").patience
    60.0
    """

    command: str
    setup: list[str] = []
    seconds: GtpSeconds | None = None
    patience: Patience = 60.0
    processes: Processes = None

    def identity(self) -> dict[str, Any]:
        """What decides the moves, as far as anyone can say, JSON values."""
        keys = {key: value for key, value in self._asdict().items() if key != "processes"}
        return {"player": {"name": "gtp", **keys}}

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput where the program is missing or does not start, and for too little patience."""
        check_launch_keys(self, "players.Gtp.")
        with _about_command(self):
            launch = gtp.GtpLaunch(words_of(self.command), self.setup, self.seconds, self.patience)
            gtp.probe(context.game, launch)
        log = Log(folder / f"{context.name}.stderr.txt")
        return gtp.GtpPlayer(context.game, launch, self.processes or context.cores, context.name, log)


class Uci(NamedTuple):
    """An external chess engine that speaks UCI; its matches have no digest, since nobody can repeat its games.

    command : the program and its arguments, as a shell would split them; options : UCI options by name
    depth, nodes, seconds : the limit of a move, one of them
    patience : seconds after which it is told to stop; processes : of it, and games in flight, at most

    >>> import gpumcts as g
    >>> g.players.Uci("gnuchess --uci", depth=3).depth
    3
    """

    command: str
    options: dict[str, bool | int | float | str | None] | None = None
    depth: UciDepth | None = None
    nodes: UciNodes | None = None
    seconds: UciSeconds | None = None
    patience: Patience = 60.0
    processes: Processes = None

    def identity(self) -> dict[str, Any]:
        """What decides the moves, as far as anyone can say, JSON values."""
        keys = {key: value for key, value in self._asdict().items() if key != "processes"}
        return {"player": {"name": "uci", **keys}}

    def build(self, context: PlayerContext, folder: Path) -> AnyPlayer:
        """The player; raises BadInput without exactly one limit, for Chess960, or where the program does not start."""
        check_launch_keys(self, "players.Uci.")
        with _about_command(self):
            words = words_of(self.command)
        launch = uci.launch_of(words, self, "players.Uci", "players.Uci.")
        with _about_command(self):
            uci.probe(context.game, launch)
        log = Log(folder / f"{context.name}.stderr.txt")
        return uci.UciPlayer(context.game, launch, self.processes or context.cores, context.name, log)
