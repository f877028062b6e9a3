"""The positions whose moves are ranked: of the games of a PGN, of a file of positions, or of random games."""

import functools
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.kernels.batch import Rules
from gpumcts.rng import key_of

RANDOM_GAMES = 10
MAX_BYTES = 1 << 28
DATA_STREAM = 1  # below the seed: random games


class DataKeys(NamedTuple):
    """The keys of the group ``data``."""

    pgn: str | None = None
    positions_file: str | None = None
    games: Annotated[int, Interval(ge=1, le=10_000_000)] | None = None
    positions: Annotated[int, Interval(ge=1, le=10_000_000)] | None = None
    from_ply: Annotated[int, Interval(ge=0, le=1_000_000)] = 0
    to_ply: Annotated[int, Interval(ge=0, le=1_000_000)] | None = None

    @property
    def plies(self) -> str:
        """Which plies positions are of, in words behind others; empty where that is all."""
        if self.to_ply is None:
            return f" from ply {self.from_ply} on" if self.from_ply else ""
        one = self.to_ply == self.from_ply
        return f" of ply {self.to_ply}" if one else f" from ply {self.from_ply} to {self.to_ply}"

    def identity(self) -> dict[str, Any]:
        """What decides the positions of a run. ``to_ply`` counts only where it is given: earlier runs lack it."""
        own = {key: value for key, value in self._asdict().items() if key != "to_ply" or value is not None}
        return {**own, "content": content_digest(self)}


class Position(NamedTuple):
    """A position that is not over and leaves a choice.

    game : number of the game it is of, from 0, which is what is resampled; each position of a file of positions is one
        of its own
    ply : plies of the game before it; words : uint64[W]; text : ``position_text``; title : the game in a few words
    """

    game: int
    ply: int
    words: np.ndarray
    text: str
    title: str


class Positions(NamedTuple):
    """The positions in order, and what was left out: positions that were over, and those with one legal move.

    there : how many leave a choice, of which ``boards`` may be a sample; games : how many there were
    """

    boards: list[Position]
    there: int
    games: int
    over: int
    forced: int


class Game(NamedTuple):
    """The states of a game, uint64[plies + 1, W], the first after ``before`` plies; ``title`` tells which it was."""

    title: str
    before: int
    states: np.ndarray


def check_data(keys: DataKeys, game_name: str) -> None:
    """Refuse keys that do not go together. Raises BadInput."""
    if keys.pgn is not None and keys.positions_file is not None:
        raise BadInput(f"data.pgn={keys.pgn} and data.positions_file={keys.positions_file}: give one of them")
    if keys.pgn is not None and game_name != "chess":
        raise BadInput(f"data.pgn={keys.pgn}: PGN is of game=chess; here game={game_name}")
    if keys.to_ply is not None and keys.to_ply < keys.from_ply:
        raise BadInput(f"data.to_ply={keys.to_ply}: must be at least data.from_ply={keys.from_ply}")
    for key in ("games", "from_ply", "to_ply"):
        value = getattr(keys, key)
        if keys.positions_file is not None and value != DataKeys._field_defaults[key]:
            raise BadInput(
                f"data.{key}={value} does not count with data.positions_file, which has positions, not games"
            )


def check_source(keys: DataKeys, game_name: str, document: str | None) -> None:
    """Refuse random games of Chess where a document's experiment has games of grandmasters. Raises BadInput."""
    if document is not None and game_name == "chess" and keys.pgn is None and keys.positions_file is None:
        raise BadInput("data.pgn=null: this experiment takes games of grandmasters; give data.pgn=FILE")


def check_file(keys: DataKeys) -> None:
    """Refuse a file that cannot be read, before anything compiles for its positions. Raises BadInput."""
    for key in ("pgn", "positions_file"):
        if (name := getattr(keys, key)) is not None:
            text_of(name, f"data.{key}")


def content_digest(keys: DataKeys) -> str | None:
    """What stands for the file's content in a run's identity; None without a file, or where it cannot be read (yet)."""
    name = keys.pgn or keys.positions_file
    if name is None:
        return None
    try:
        stat = Path(name).stat()
        return _digest(name, stat.st_mtime_ns, stat.st_size)
    except (OSError, ValueError):
        return None


@functools.lru_cache(maxsize=8)
def _digest(name: str, changed: int, size: int) -> str:
    return hashlib.sha256(Path(name).read_bytes()).hexdigest()[:16]


def boards_of(game: Any, keys: DataKeys, seed: int) -> Positions:
    """The positions of ``game`` (as it travels into compiled code) that ``keys`` name; ``seed`` draws a sample of them.

    Raises BadInput where a file is broken, and where no position is left.
    """
    return _boards_of(game, keys, seed, content_digest(keys))


@functools.lru_cache(maxsize=1, typed=True)  # asked before a run and in it; games of two classes may be equal as tuples
def _boards_of(game: Any, keys: DataKeys, seed: int, content: str | None) -> Positions:
    rules, boards, over, forced, games = Rules(game), [], 0, 0, 0
    for number, played in enumerate(_games(rules, keys, seed)):
        games += 1
        counts = rules.count_moves(played.states)
        for index in range(len(counts)):
            ply = played.before + index
            if ply < keys.from_ply or (keys.to_ply is not None and ply > keys.to_ply):
                continue
            over, forced = over + (counts[index] == 0), forced + (counts[index] == 1)
            if counts[index] > 1:
                boards.append(Position(number, ply, played.states[index], "", played.title))
    if not boards:
        there = f"{over} are over, {forced} have one legal move" if over or forced else "there is none at all"
        raise BadInput(f"data{_source(keys)}: no position{keys.plies} in which there is a choice: {there}")
    chosen = _sampled(boards, keys.positions, seed)
    with np.errstate(over="ignore"):
        texts = [contract.position_text(rules.game, rules.state(board.words)) for board in chosen]
    named = [board._replace(text=text) for board, text in zip(chosen, texts, strict=True)]
    return Positions(named, len(boards), games, int(over), int(forced))


def _source(keys: DataKeys) -> str:
    if keys.pgn is not None:
        return f".pgn={keys.pgn}"
    return f".positions_file={keys.positions_file}" if keys.positions_file is not None else ""


def _sampled(boards: list[Position], count: int | None, seed: int) -> list[Position]:
    """``count`` of the boards in their order, each set equally likely; all where there are no more."""
    if count is None or count >= len(boards):
        return boards
    chosen = np.random.default_rng(seed).choice(len(boards), count, replace=False)
    return [boards[i] for i in sorted(chosen)]


def _games(rules: Rules, keys: DataKeys, seed: int) -> Iterator[Game]:
    if keys.pgn is not None:
        yield from _games_of_pgn(rules, keys)
    elif keys.positions_file is not None:
        yield from _positions_of_file(rules, keys.positions_file)
    else:
        yield from _random_games(rules, keys.games or RANDOM_GAMES, seed)


def text_of(name: str, key: str) -> str:
    """The text of a file; raises BadInput by ``key`` where there is none."""
    if not name:
        raise BadInput(f"{key}=: must name a file, or be null")
    try:
        with Path(name).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{key}={name}: cannot be read: {why}") from None
    if len(content) > MAX_BYTES:
        raise BadInput(f"{key}={name}: cannot be read: it has more than {MAX_BYTES >> 20} MiB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")  # which PGN is by its standard


def _games_of_pgn(rules: Rules, keys: DataKeys) -> Iterator[Game]:
    from gpumcts.games.chess.pgn import games_of

    assert keys.pgn is not None
    text = text_of(keys.pgn, "data.pgn")
    number = 0
    for number, record in enumerate(games_of(text, f"data.pgn={keys.pgn}", rules.game), 1):
        yield played(rules, record, number)
        if number == keys.games:
            return
    if number == 0:
        raise BadInput(f"data.pgn={keys.pgn}: no game is in it")
    if keys.games is not None:
        raise BadInput(f"data.games={keys.games}: {keys.pgn} has {number}")


def played(rules: Rules, record: contract.Record, number: int) -> Game:
    """A ``Record`` as the players saw it: with what a game forbids or draws that looks back (superko, repetition)."""
    states = [rules.words(record.start)]
    seen = list(states)
    looks_back = contract.has_history(rules.game)
    for move in record.moves:
        after = rules.play(states[-1][None], np.array([move], np.int64))[0]
        seen.append(rules.with_history(after, np.stack(states)) if looks_back else after)
        states.append(after)
    names = [record.tags.get(key, "?") for key in ("White", "Black")]
    title = f"{' - '.join(names)}, {record.tags.get('Date', '')[:4]}".strip(", ") if record.tags else f"game {number}"
    return Game(title, 0, np.stack(seen))


def _positions_of_file(rules: Rules, name: str) -> Iterator[Game]:
    lines = text_of(name, "data.positions_file").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            with np.errstate(over="ignore"):
                state = contract.parse_position(rules.game, line.strip())
        except BadInput as error:
            raise BadInput(f"data.positions_file={name}: line {number}: {error}") from None
        yield Game(f"line {number}", 0, rules.words(state)[None])


def _random_games(rules: Rules, count: int, seed: int) -> Iterator[Game]:
    """Random games from the start, uniform by the game's own weights."""
    for number in range(count):
        states, key = [rules.starts(1)[0]], key_of(seed, DATA_STREAM, number)
        looks_back = contract.has_history(rules.game)
        seen = list(states)
        while len(states) <= rules.game.MAX_PLIES and rules.count_moves(seen[-1][None])[0]:
            stream = np.array([key_of(int(key), len(states))], np.uint64)
            after = rules.play(seen[-1][None], rules.random_moves(seen[-1][None], stream))[0]
            seen.append(rules.with_history(after, np.stack(states)) if looks_back else after)
            states.append(after)
        yield Game(f"random game {number}", 0, np.stack(seen))


def move_texts(game: Any, words: Any) -> list[str]:
    """The legal moves of a packed state in the game's notation, in order."""
    rules = Rules(game)
    state = rules.state(words)
    with np.errstate(over="ignore"):
        return [contract.move_text(rules.game, state, int(move)) for move in rules.legal_moves(words)]
