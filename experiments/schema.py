"""What each command takes, as typed values: from here on nobody sees a configuration again.

``conf/`` and these classes say the same keys with the same defaults (a test holds them together). What is wrong is
refused here, in one line that names the key, before any work.
"""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.budgets import Budget, budget_of
from experiments.keys import (
    AlphaBetaKeys,
    GtpKeys,
    MatchKeys,
    MinimaxKeys,
    PerftKeys,
    PlayoutsKeys,
    PvsKeys,
    ReportKeys,
    SearchKeys,
    SenseiKeys,
    SgfKeys,
    UciKeys,
)
from experiments.programs import PROGRAM_KEYS, ProgramKeys, program_keys
from experiments.values import group_at, shown, typed
from gpumcts import options
from gpumcts.deepening.minimax import check_leaf, check_ties, minimax_name
from gpumcts.errors import BadInput
from gpumcts.kernels import engines
from gpumcts.playouts.contract import check_policy
from gpumcts.tree.settings import Settings

Plain = Mapping[str, Any]

PLAYER_GROUPS: dict[str, tuple[str, ...]] = {
    "uct": ("playout", "selection", "backup", "search", "budget"),
    "mc": ("playout", "budget"),
    "sensei": ("playout", "budget"),
    "alpha_beta": ("budget",),
    "pvs": ("budget",),
    "minimax": ("budget",),
    "random": (),
    "gtp": (),
    "uci": (),
}
"""The groups that count for each player; setting another one is refused."""

OF_EXPERIMENTS = (
    "title",
    "document",
    "panel",
    "k",
    "decays",
    "scales",
    "shape",
    "shapes",
    "names",
    "option",
    "options",
    "memory",
    "memories",
    "column",
    "columns",
    "by",
    "budgets",
    "board",
    "boards",
    "policy",
    "policies",
    "owns",
    "kinds",
    "round",
    "rounds",
    "extras",
    "finals",
)
"""Keys that an experiment may add at the top."""


class Given(NamedTuple):
    """What the command line says, for what can only be judged by it.

    keys : set there, ``backup`` or ``opponent.backup.decay``; defaults : composes the command's own configuration
    """

    keys: frozenset[str]
    defaults: Callable[[], Plain]


class Study(NamedTuple):
    """What an experiment adds: what its run is called, the table or figure it reproduces, its panel, and the cell of it."""

    title: str | None = None
    document: str | None = None
    panel: str | None = None
    k: Annotated[int, Interval(ge=1, le=7)] | None = None


@dataclass(frozen=True)
class PlayerConfig:
    """A player: its name, and for those that search the values of the groups that count.

    identity : the plain values that decide how it plays
    """

    name: str
    identity: dict[str, Any]
    policy: Any = None
    rule: Any = None
    operator: Any = None
    settings: Settings = Settings()
    budget: Budget = Budget()
    best_so_far: bool = False
    table_mb: int = 0
    leaf: str = "evaluation"
    quiescence: bool = False
    ties: str = "random"
    program: ProgramKeys | None = None

    @property
    def plays_out(self) -> bool:
        """Whether it searches a tree or a table by playouts."""
        return self.policy is not None

    @property
    def iterations(self) -> int:
        """What the player counts, a move: iterations (alpha-beta: leaves, pvs: nodes).

        0 where it does not search, and where its budget is in seconds, a depth, or the other side's.
        """
        return (self.budget.iterations or self.budget.nodes or 0) if "budget" in PLAYER_GROUPS[self.name] else 0


@dataclass(frozen=True)
class Checked:
    """A checked configuration of one run.

    identity : what decides its result, JSON values; the folder's digest is made of it
    slug : what the folder is called before the digest
    """

    identity: dict[str, Any]
    slug: str
    keys: Any
    game: Any = None
    policy: Any = None
    player: PlayerConfig | None = None
    opponent: PlayerConfig | None = None
    engine: str = "auto"
    study: Study = Study()

    @property
    def threads(self) -> int:
        """CPU threads: those asked for, or as many as this process may use."""
        return self.keys.threads or usable_cores()

    @property
    def memory_limit(self) -> int | None:
        """Bytes the trees may take, or None for what is free."""
        return None if self.keys.memory_gb is None else int(self.keys.memory_gb * 2**30)


def usable_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ---------------------------------------------------------------------------------------------------- parts


def option_value(kind: str, plain: Plain, where: str) -> tuple[Any, dict[str, Any]]:
    """The value of an option and its identity: ``{"name": ..., every field}``."""
    fields = dict(group_at(plain, where))
    name = fields.pop("name", None)
    if not isinstance(name, str):
        there = ", ".join(options.names(kind))
        raise BadInput(f"{where}.name={shown(name)}: must be the name of a module; there are: {there}")
    try:
        option = options.option(kind, name)
    except BadInput as error:
        raise BadInput(str(error).replace(f"{kind}.name=", f"{where}.name=", 1)) from None
    value = typed(option, fields, where)
    return value, {"name": name, **value._asdict()}


def game_value(plain: Plain) -> tuple[Any, dict[str, Any]]:
    """The game as rules and searches take it, and its identity; refuses fields that do not go together."""
    value, identity = option_value("game", plain["game"], "game")
    return options.compiled(value), identity


def named(plain: Plain, where: str, known: Collection[str]) -> str:
    name = group_at(plain, where).get("name")
    if name not in known:
        raise BadInput(f"{where}.name={shown(name)} is not known; there are: {', '.join(known)}")
    if len(plain) > 1 and name not in ALONE:
        raise BadInput(f"{where}.{next(key for key in plain if key != 'name')}: unknown key; {where} has name alone")
    return str(name)


def settings_of(plain: Plain, budget: Budget, where: str) -> Settings:
    """The settings of a search, with the playouts per leaf that the budget names."""
    if "playouts_per_leaf" in group_at(plain, where):
        raise BadInput(f"{where}.playouts_per_leaf: it is budget.playouts_per_leaf")
    settings = typed(Settings, plain, where)._replace(playouts_per_leaf=budget.playouts_per_leaf)
    if settings.expansion != "threshold" and settings.threshold != 1:
        raise BadInput(f"{where}.threshold={settings.threshold} counts with {where}.expansion=threshold alone")
    for key in ("replacement", "stored_above"):
        value = getattr(settings, key)
        if settings.table is None and value != Settings._field_defaults[key]:
            raise BadInput(f"{where}.{key}={value} counts with {where}.table alone")
    return settings


def searching_player(plain: Plain, prefix: str = "", versus: bool = False) -> PlayerConfig:
    """A UCT player from the groups under ``prefix`` (empty, or ``opponent.``); ``versus``: against another side."""
    policy, policy_identity = option_value("playout", plain["playout"], f"{prefix}playout")
    rule, rule_identity = option_value("selection", plain["selection"], f"{prefix}selection")
    operator, operator_identity = option_value("backup", plain["backup"], f"{prefix}backup")
    budget = budget_of(plain["budget"], prefix, "uct", versus)
    settings = settings_of(plain["search"], budget, f"{prefix}search")
    identity = {
        "player": {"name": "uct"},
        "playout": policy_identity,
        "selection": rule_identity,
        "backup": operator_identity,
        "search": {key: value for key, value in settings._asdict().items() if key != "playouts_per_leaf"},
        "budget": budget.plain,
    }
    return PlayerConfig("uct", identity, policy, rule, operator, settings, budget)


def player_of(plain: Plain, prefix: str = "") -> PlayerConfig:
    """The player configured under ``prefix``."""
    name = named(plain["player"], f"{prefix}player", PLAYER_GROUPS)
    if name == "uct":
        return searching_player(plain, prefix, versus=True)
    if name == "mc":
        return _monte_carlo_player(plain, prefix)
    if name == "sensei":
        return _senseis_player(plain, prefix)
    if name in PROGRAM_KEYS:
        keys = program_keys(plain, prefix)
        # processes decide no result
        identity = {key: value for key, value in keys._asdict().items() if key != "processes"}
        return PlayerConfig(name, {"player": identity}, program=keys)
    if name in ALONE:
        return _player_without_playouts(ALONE[name], plain, prefix)
    return PlayerConfig(name, {"player": {"name": name}})


def _monte_carlo_player(plain: Plain, prefix: str) -> PlayerConfig:
    """Plain Monte-Carlo planning (000 and 003, MC): a uniform move of the root, a playout, the move of the highest average."""
    policy, policy_identity = option_value("playout", plain["playout"], f"{prefix}playout")
    rule, _ = option_value("selection", {"name": "uniform"}, f"{prefix}selection")
    operator, _ = option_value("backup", {"name": "average"}, f"{prefix}backup")
    budget = budget_of(plain["budget"], prefix, "mc", versus=True)
    settings = Settings(expansion="root", final="value", playouts_per_leaf=budget.playouts_per_leaf)
    identity = {"player": {"name": "mc"}, "playout": policy_identity, "budget": budget.plain}
    return PlayerConfig("mc", identity, policy, rule, operator, settings, budget)


def _senseis_player(plain: Plain, prefix: str) -> PlayerConfig:
    """Sensei's UCT (001): its formula, averages, children on a leaf's second visit, each tried once first, solved nodes."""
    keys = typed(SenseiKeys, plain["player"], f"{prefix}player")
    policy, policy_identity = option_value("playout", plain["playout"], f"{prefix}playout")
    rule, _ = option_value("selection", {"name": "sensei", "uctk": keys.uctk}, f"{prefix}selection")
    operator, _ = option_value("backup", {"name": "average"}, f"{prefix}backup")
    budget = budget_of(plain["budget"], prefix, keys.name, versus=True)
    final = "visits" if keys.best == "visits" else "value"
    settings = Settings(final=final, solve=keys.solve, playouts_per_leaf=budget.playouts_per_leaf)
    identity = {"player": keys._asdict(), "playout": policy_identity, "budget": budget.plain}
    return PlayerConfig(keys.name, identity, policy, rule, operator, settings, budget)


ALONE: dict[str, Any] = {
    "alpha_beta": AlphaBetaKeys,
    "pvs": PvsKeys,
    "minimax": MinimaxKeys,
    "sensei": SenseiKeys,
    **PROGRAM_KEYS,
}
"""The keys of the players that have some of their own."""


def _player_without_playouts(cls: Any, plain: Plain, prefix: str) -> PlayerConfig:
    """Alpha-beta, whose budget counts leaves, principal-variation search, or minimax of a fixed depth."""
    keys = typed(cls, plain["player"], f"{prefix}player")
    budget = budget_of(plain["budget"], prefix, keys.name)
    identity = {"player": keys._asdict(), "budget": {budget.unit: getattr(budget, budget.unit)}}
    fields = {key: value for key, value in keys._asdict().items() if key != "name"}
    return PlayerConfig(keys.name, identity, budget=budget, **fields)


def _check_minimax(game: Any, player: PlayerConfig, prefix: str = "") -> None:
    """Refuse keys of player=minimax that do not go together, or not with the game."""
    if player.name == "minimax":
        check_leaf(game, player.leaf, player.quiescence, prefix)
        check_ties(game, player.ties, prefix)


def check_matched(player: PlayerConfig, opponent: PlayerConfig) -> None:
    """Refuse ``budget.matched`` where the other side counts nothing, or follows in its turn."""
    for prefix, own, other, theirs in (("", player, opponent, "opponent."), ("opponent.", opponent, player, "")):
        if own.budget.matched is None:
            continue
        where = f"{prefix}budget.matched={own.budget.matched}"
        if "budget" not in PLAYER_GROUPS[other.name]:
            raise BadInput(f"{where}: {theirs}player={other.name} counts no nodes")
        if other.budget.matched is not None:
            raise BadInput(
                f"{where}: the other side follows too; give it a budget of its own, as {theirs}budget.iterations"
            )


def refuse_idle_groups(plain: Plain, given: Given) -> None:
    """Refuse a group that does not count for the player and is set: on the command line, or anew by a file."""
    sides = {"": plain, "opponent.": plain["opponent"]}
    counting = {prefix: PLAYER_GROUPS.get(str(side["player"].get("name")), ()) for prefix, side in sides.items()}
    for prefix, side in sides.items():
        for group in PLAYER_GROUPS["uct"]:
            follows = prefix == "" and group == "budget" and "budget" in counting["opponent."]
            if group in counting[prefix] or follows:
                continue
            base = given.defaults()["opponent"] if prefix else given.defaults()
            named = any(key == prefix + group or key.startswith(f"{prefix}{group}.") for key in given.keys)
            if named or (side[group] != base[group] and group_at(side[group], prefix + group).get("name") != "same"):
                player = side["player"]["name"]
                raise BadInput(f"{prefix}{group} does not count for {prefix}player={player}; leave it out")


def _top(cls: type, plain: Plain, groups: Collection[str]) -> Any:
    """The plain keys at the top of a command's configuration, as ``cls``."""
    return typed(cls, {key: value for key, value in plain.items() if key not in groups})


def as_json(value: Any) -> Any:
    """JSON has no infinity."""
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    return str(value) if value in (float("inf"), float("-inf")) else value


def label(identity: Plain) -> str:
    """A player in a few words: what sets it apart from plain UCT."""
    words = [str(identity["player"]["name"])]
    if words == ["minimax"]:
        keys = identity["player"]
        words = [minimax_name(identity["budget"]["depth"], keys["leaf"], keys["quiescence"], keys["ties"])]
    words += [Path(word).name for word in (identity["player"].get("command") or "").split()[:1]]
    for group, plain_name in (("backup", "average"), ("playout", "uniform"), ("selection", "ucb1")):
        option = identity.get(group, {"name": plain_name})
        fields = [f"{key}={shown(value)}" for key, value in option.items() if key in ("decay", "depth")]
        if option["name"] != plain_name:
            words.append("_".join([option["name"], *fields]))
    return " ".join(words)


# -------------------------------------------------------------------------------------------------- commands

MATCH_GROUPS = ("game", "player", *PLAYER_GROUPS["uct"], "opponent", "engine")


def check_policies(game: Any, *policies: Any) -> None:
    """Refuse playouts that are not for the game; None where a player plays none."""
    for policy in policies:
        if policy is not None:
            check_policy(policy, game)


def match_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.match."""
    keys = _top(MatchKeys, plain, (*MATCH_GROUPS, *OF_EXPERIMENTS))
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    if not isinstance(plain["opponent"], Mapping):
        choice = shown(plain["opponent"])
        raise BadInput(f"opponent={choice}: choose its parts, the player as player@opponent.player={choice}")
    game, game_identity = game_value(plain)
    if game.PLAYERS != 2:
        raise BadInput(f"game={game_identity['name']} is for one player; a match takes a game for two")
    player, opponent = player_of(plain), player_of(plain["opponent"], "opponent.")
    check_policies(game, player.policy, opponent.policy)
    check_matched(player, opponent)
    _check_minimax(game, player)
    _check_minimax(game, opponent, "opponent.")
    if given is not None:
        refuse_idle_groups(plain, given)
    identity = {"game": game_identity, **player.identity, "opponent": opponent.identity, "seed": keys.seed}
    slug = f"{game_identity['name']} {label(player.identity)} vs {label(opponent.identity)}"
    engine = named(plain["engine"], "engine", engines.NAMES)
    return Checked(
        as_json(identity), slug, keys, game=game, player=player, opponent=opponent, engine=engine, study=study
    )


def search_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.search; engine and threads count, since it measures speed."""
    keys = _top(SearchKeys, plain, ("game", *PLAYER_GROUPS["uct"], "engine"))
    game, game_identity = game_value(plain)
    player = searching_player(plain)
    check_policies(game, player.policy)
    engine = named(plain["engine"], "engine", engines.NAMES)
    identity = {"game": game_identity, **player.identity, "engine": engine, **keys._asdict()}
    slug = f"{game_identity['name']} {label(player.identity)}"
    return Checked(as_json(identity), slug, keys, game=game, player=player, engine=engine)


def gtp_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.gtp."""
    return _serving_config(plain, GtpKeys, "GTP")


def uci_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.uci."""
    return _serving_config(plain, UciKeys, "UCI")


def _serving_config(plain: Plain, cls: type, protocol: str) -> Checked:
    keys = _top(cls, plain, ("game", *PLAYER_GROUPS["uct"], "engine"))
    game, game_identity = game_value(plain)
    if game.PLAYERS != 2:
        raise BadInput(f"game={game_identity['name']} is for one player; {protocol} takes a game for two")
    player = searching_player(plain)
    check_policies(game, player.policy)
    engine = named(plain["engine"], "engine", engines.NAMES)
    if engine == "device" or player.settings.table is not None:
        key = "engine=device" if engine == "device" else f"search.table={player.settings.table}"
        raise BadInput(f"{key}: an engine searches a tree by slices, on engine=cpu or cuda")
    identity = {"game": game_identity, **player.identity, "engine": engine, **keys._asdict()}
    slug = f"{game_identity['name']} {label(player.identity)}"
    return Checked(as_json(identity), slug, keys, game=game, player=player, engine=engine)


def playouts_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.playouts; engine and threads count, since it measures speed."""
    keys = _top(PlayoutsKeys, plain, ("game", "playout", "engine"))
    game, game_identity = game_value(plain)
    policy, policy_identity = option_value("playout", plain["playout"], "playout")
    check_policies(game, policy)
    engine = named(plain["engine"], "engine", engines.NAMES)
    identity = {"game": game_identity, "playout": policy_identity, "engine": engine, **keys._asdict()}
    slug = f"{game_identity['name']} {policy_identity['name']} {engine}"
    return Checked(as_json(identity), slug, keys, game=game, policy=policy, engine=engine)


def perft_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.perft."""
    keys = _top(PerftKeys, plain, ("game",))
    game, game_identity = game_value(plain)
    identity = {"game": game_identity, **keys._asdict()}
    return Checked(as_json(identity), f"{game_identity['name']} depth {keys.depth}", keys, game=game)


def report_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.report."""
    keys = _top(ReportKeys, plain, ())
    return Checked(keys._asdict(), "report", keys)


def sgf_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.sgf."""
    keys = _top(SgfKeys, plain, ())
    return Checked(keys._asdict(), "sgf", keys)


def pgn_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.pgn."""
    keys = _top(SgfKeys, plain, ())
    return Checked(keys._asdict(), "pgn", keys)


def doctor_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.doctor, which has no keys."""
    if plain:
        raise BadInput(f"{next(iter(plain))}: unknown key; the command has no keys")
    return Checked({}, "doctor", None)
