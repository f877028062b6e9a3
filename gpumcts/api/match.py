"""A match from Python: the same games as the command's, with the same digest."""

import inspect
import json
import math
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

from gpumcts.api.interrupts import stoppable
from gpumcts.api.match_engine import on_its_engine
from gpumcts.api.option_values import Option
from gpumcts.api.search import Search, bytes_of, engine_named, named_as_here, threads_of
from gpumcts.compiling.class_names import title
from gpumcts.compiling.own_sources import is_own
from gpumcts.errors import BadInput
from gpumcts.kernels.engines import resolve
from gpumcts.match import runner
from gpumcts.match.journal import GAMES, whole_lines
from gpumcts.match.sequential import SequentialTest, sequential_test
from gpumcts.match.statistics import Sprt, elo, elo_interval, sprt, wilson, win_rate
from gpumcts.options import as_json, compiled, identity, value_of
from gpumcts.players.construction import PlayerContext
from gpumcts.players.contract import AnyPlayer, Player
from gpumcts.players.descriptions import Description, Gtp, Minimax, Pvs, Uci
from gpumcts.players.external_engine import ExternalEnginePlayer
from gpumcts.players.table_memory import check_tables
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.validation import check_real, checked, integer, said, seed_of

if TYPE_CHECKING:
    import polars

SIDES = ("player", "opponent")
DIGEST_LETTERS = 12  # that a match is shown with


@dataclass(frozen=True)
class Match:
    """What a match came to, for the first of the two players; ``play_match`` returns it.

    games : how many were played; wins, draws, losses : of those
    digest : SHA-256 over all games in order, the same for the same configuration and seed on any machine; None where a
        player is an external engine, whose games nobody can repeat
    seconds : wall-clock time of this call
    records : the games in order: ``game`` (number), ``first`` (0 or 1: who of the two moved first), ``result`` (win,
        draw or loss) and ``score`` in [-1, 1] for the first of the two players, ``plies``, ``moves`` (text); where an
        external engine gave the game up ``ended`` (resigned or forfeited) and ``reason`` too

    >>> import gpumcts as g
    >>> game = g.make("dots_and_boxes", rows=1, columns=2)
    >>> match = g.play_match(game, (g.players.Minimax(depth=2), g.players.Random()), games=20, seed=1)
    >>> low, high = match.interval
    >>> low <= match.win_rate <= high
    True
    >>> match.sprt(0, 50).decision in ("H0", "H1", "go on")
    True
    """

    games: int
    wins: int
    draws: int
    losses: int
    digest: str | None
    seconds: float
    records: Sequence[dict[str, Any]]

    def __hash__(self) -> int:
        return hash((self.games, self.wins, self.draws, self.losses, self.digest))

    def __repr__(self) -> str:
        counts = f"{self.games} games, {self.wins} won, {self.draws} drawn, {self.losses} lost"
        digest = None if self.digest is None else self.digest[:DIGEST_LETTERS]
        return f"Match({counts}, win rate {self.win_rate:.3f}, digest {digest})"

    @property
    def win_rate(self) -> float:
        """Share of the points in [0, 1], a draw counting as half a win."""
        return win_rate(self.wins, self.draws, self.games)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the win rate (JASA 1927), within [0, 1]."""
        return wilson(self.wins, self.draws, self.games)

    @property
    def elo(self) -> tuple[float, float, float]:
        """The Elo difference, and the ends of its 95 % interval: those of ``interval``, turned into Elo.

        Infinite where a side won all games; without games NaN between two infinite ends.
        """
        counts = (self.wins, self.draws, self.losses)
        return elo(self.win_rate) if self.games else math.nan, *elo_interval(*counts)

    def sprt(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> Sprt:
        """The sequential probability ratio test of ``elo0`` (H0) against ``elo1`` (H1), as match programs have it.

        ``play_match(sprt=(elo0, elo1))`` ends once its ``decision`` is no longer ``go on``. ``alpha`` is the
        probability of accepting H1 where H0 holds, ``beta`` that of the converse. Source: Van den Bergh, *A practical
        introduction to the GSPRT*.

        Raises BadInput where ``elo0`` is not below ``elo1``, and for probabilities that are not in (0, 0.5).
        """
        named = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta}
        for name, value in named.items():
            check_real(name, value)
        # Decimals and fractions do not mix with floats.
        numbers = {name: value if isinstance(value, int) else float(value) for name, value in named.items()}
        return sprt(self.wins, self.draws, self.losses, **numbers)

    def to_frame(self) -> "polars.DataFrame":
        """The records, one row a game; null where a record lacks a key that another has."""
        import polars

        return polars.DataFrame(list(self.records), infer_schema_length=None)


def play_match(
    game: Option | str,
    players: tuple[Description, Description],
    games: SupportsIndex = 100,
    seed: SupportsIndex = 1,
    folder: Path | str | None = None,
    games_in_flight: SupportsIndex = 1000,
    engine: str = "auto",
    threads: SupportsIndex | None = None,
    memory_gb: float | None = None,
    sprt: Sequence[float] | None = None,
) -> Match:
    """Play a match; the first of ``players`` has the first move in even games, the second in odd ones.

    Parameters
    ----------
    game : a game for two, an option or its name
    players : ``search.player(iterations=...)``, or what ``gpumcts.players`` has
    games : 1 to 10,000,000; seed : 0 to 2^64 - 1
    folder : every move is written there before its game goes on; the same call goes on where it was, more ``games``
        extend a finished match. None keeps nothing
    games_in_flight : games that advance together at most; decides speed and memory
    engine, threads, memory_gb : as ``Search`` takes them, for players that come from none; ``memory_gb`` is also the
        most that hash tables may take
    sprt : ``(elo0, elo1)`` or ``(elo0, elo1, alpha, beta)`` as ``Match.sprt`` takes them: the match ends once that test
        has decided, at ``games`` at the latest. The test looks at the games in order, two at a time; those it looked at
        are the games of the match

    Neither ``games_in_flight`` nor engine nor threads change a game. The digest is that of the command
    ``python -m experiments.match`` with the same configuration.

    Raises BadInput for values out of range, a game not for two, players that are none or cannot play it, hash
    tables that do not fit into memory, and a folder that is in use, damaged, or of another match. Ctrl-C ends the
    match; what is in ``folder`` stays.

    >>> import gpumcts as g
    >>> game = g.make("dots_and_boxes", rows=1, columns=2)
    >>> match = g.play_match(game, (g.players.Random(), g.players.Random()), games=100, seed=1)
    >>> match.games == match.wins + match.draws + match.losses == 100
    True
    """
    value, pair = value_of("game", game), _checked_pair(players)
    count, number = integer("games", games, 1, runner.MAX_GAMES), seed_of(seed)
    test = sequential_test(sprt)
    in_flight = integer("games_in_flight", games_in_flight, 1, runner.MAX_GAMES)
    if compiled(value).PLAYERS != 2:
        raise BadInput(f"game={title(value)} is for one player; a match takes a game for two")
    cores = threads_of(threads)
    context = PlayerContext(
        game=value,
        engine=engine_named(engine),
        threads=cores,
        memory_limit=bytes_of(memory_gb),
        workers=ThreadPool(cores),
    )
    same = _identity(value, pair, number)
    check_tables([*_tables(pair)], cores, context.memory_limit)
    with _place_of(folder) as place:
        return _played(pair, count, number, Path(place), same, in_flight, context, test)


def _place_of(folder: Path | str | None) -> AbstractContextManager[Path | str]:
    """The folder of a match; one that goes with the call where none is named."""
    if folder is None:
        return tempfile.TemporaryDirectory(prefix="gpumcts-match-")
    if not isinstance(folder, str | os.PathLike) or str(folder) == "" or "\0" in str(folder):
        raise BadInput(f"folder={said(folder)}: must be a path, or None")
    return nullcontext(folder)


def _checked_pair(players: Sequence[Any]) -> tuple[Description, Description]:
    if not isinstance(players, Sequence) or len(players) != 2:
        raise BadInput("players: must be two, as (search.player(iterations=1000), gpumcts.players.Random())")
    for player in players:
        if hasattr(player, "seated") and not hasattr(player, "build"):
            raise BadInput(f"players: {type(player).__name__}.seated(place, folder) is now build(context, folder)")
        if isinstance(player, Search):
            raise BadInput("players: a Search is no player by itself; call .player(iterations=...) of it")
        if isinstance(player, type) and hasattr(player, "build"):
            raise BadInput(f"players: {player.__name__} is a class, not a player; call it, as {player.__name__}(...)")
        if not hasattr(player, "build"):
            raise BadInput(
                f"players: {said(player)} is no player; take search.player(iterations=...), "
                "or call one of gpumcts.players"
            )
        _check_takes(player, "identity", ())
        _check_takes(player, "build", ("context", "folder"))
    first, second = (
        player  # its fields are of types that it alone knows
        if is_own(type(player))
        else checked(type(player), player._asdict(), f"players.{type(player).__name__}")
        for player in players
    )
    return first, second


def _check_takes(player: Any, method: str, names: tuple[str, ...]) -> None:
    """Refuse a player of a user's own without a method, or whose method takes other arguments."""
    try:
        inspect.signature(getattr(player, method)).bind(*names)
    except (AttributeError, TypeError):
        wanted = f"{method}({', '.join(names)})"
        raise BadInput(f"players: {type(player).__name__} has no method {wanted}, which every player has") from None


def _identity(game: Any, pair: tuple[Description, Description], seed: int) -> dict[str, Any]:
    """What decides the games, as the command's folders have it."""
    first, second = (_identity_of(player) for player in pair)
    return as_json({"game": identity(game), **first, "opponent": second, "seed": seed})


def _identity_of(player: Description) -> dict[str, Any]:
    found = player.identity()
    where = f"players: {type(player).__name__}.identity()"
    if not isinstance(found, dict):
        wanted = 'a dict of JSON values, as {"player": {"name": "mine"}}'
        raise BadInput(f"{where} returns {said(found)}; must be {wanted}")
    try:
        json.dumps(as_json(found))
    except (TypeError, ValueError) as error:
        raise BadInput(f"{where}: must be a dict of JSON values: {error}") from None
    return found


def _built(player: Description, context: PlayerContext, folder: Path) -> AnyPlayer:
    """The player of a description; raises BadInput where it is none."""
    with named_as_here():
        found = player.build(context, folder)
    choose = "choose_after" if hasattr(found, "choose_after") else "choose"
    missing = [name for name in (*Player.__annotations__, choose, "forget") if not hasattr(found, name)]
    if missing:
        raise BadInput(
            f"players: {type(player).__name__}.build(context, folder) returns {said(found)}; must be a "
            f"gpumcts.players.contract.Player, which has {', '.join(missing)}"
        )
    return found


def _played(
    pair: tuple[Description, Description],
    games: int,
    seed: int,
    folder: Path,
    same: dict[str, Any],
    in_flight: int,
    context: PlayerContext,
    test: SequentialTest | None,
) -> Match:
    built: list[AnyPlayer] = []
    with stoppable() as stop:
        try:
            settled = [on_its_engine(player, context, min(games, in_flight)) for player in pair]
            engines = {its_context.engine for _, its_context in settled}
            at_once = 2 if all(resolve(engine) == "cpu" for engine in engines) else 0  # a device is one thread's
            for name, (player, its_context) in zip(SIDES, settled, strict=True):
                built.append(_built(player, its_context._replace(name=name), folder))
            result = runner.play_match(
                compiled(context.game),
                (built[0], built[1]),
                games=games,
                seed=seed,
                folder=folder,
                identity=same,
                games_in_flight=min(in_flight, *(_max_in_flight(player, context) for player in pair)),
                stop=stop,
                at_once=at_once,
                test=test,
            )
        finally:
            for player in built:
                if isinstance(player, ExternalEnginePlayer):
                    player.close()
        if result.interrupted:
            raise KeyboardInterrupt
        return Match(
            games=result.games,
            wins=result.wins,
            draws=result.draws,
            losses=result.losses,
            digest=result.digest,
            seconds=result.seconds,
            records=_records(folder, result.games),
        )


def _tables(pair: tuple[Description, Description]) -> Iterator[tuple[str, int]]:
    """The hash tables of the players, as ``check_tables`` takes them."""
    for player in pair:
        if isinstance(player, Pvs) or (isinstance(player, Minimax) and player.leaf == "evaluation"):
            yield f"players.{type(player).__name__}.table_mb", player.table_mb


def _max_in_flight(player: Description, context: PlayerContext) -> int:
    """Games that may be in flight together: one for each process of an external engine."""
    if isinstance(player, Gtp | Uci):
        return player.processes or context.cores
    return runner.MAX_GAMES


def _records(folder: Path, games: int) -> list[dict[str, Any]]:
    """The records of games 0 to ``games - 1``, in order; another process may write there by now."""
    found = (json.loads(line) for line in whole_lines(folder / GAMES))
    return sorted((record for record in found if record["game"] < games), key=lambda record: record["game"])
