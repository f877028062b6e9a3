"""Positions of a game as packed states: where they come from, what may be played there, how they are written.

A state is uint64[W], W words as the game packs it; a batch of B states is uint64[B, W]. Functions that describe one
position take a state, or a batch of one.
"""

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from gpumcts.api.option_values import Option
from gpumcts.errors import BadInput
from gpumcts.game_keys import keys_of
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.gtp.position import GtpPosition
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled, value_of
from gpumcts.rng import key_of
from gpumcts.validation import integer, said, seed_of

States = npt.NDArray[np.uint64]
MAX_BATCH = 10_000_000
SHOWN = 40  # legal moves in a message, at most: Amazons begins with 2,176
TRIES_A_POSITION = 100  # random games, on average, before the ply asked for counts as out of reach


def start(game: Option | str, batch: SupportsIndex = 1) -> States:
    """The position a game begins in, ``batch`` times: uint64[batch, W].

    Raises BadInput for what is no game, and for a batch that is not 1 to 10,000,000.

    >>> import gpumcts as g
    >>> g.start(g.make("othello"), batch=4).shape
    (4, 3)
    """
    rows = integer("batch", batch, 1, MAX_BATCH)
    return Rules(value_of("game", game)).starts(rows)


def position(game: Option | str, *texts: str) -> States:
    """The positions that texts name, as ``position_text`` writes them: uint64[len(texts), W].

    Raises BadInput where a text names no position.

    >>> import gpumcts as g
    >>> game = g.make("othello")
    >>> text = g.position_text(game, g.after(game, "f5 d6"))
    >>> bool((g.position(game, text) == g.after(game, "f5 d6")).all())
    True
    """
    rules = Rules(value_of("game", game))
    with np.errstate(over="ignore"):
        states = [contract.parse_position(rules.game, _text("position", text)) for text in texts]
    return np.array([rules.words(state) for state in states], np.uint64).reshape(len(texts), rules.width)


def after(game: Option | str, *moves: str) -> States:
    """The positions after lines of moves from the start, in the game's notation, a line each: uint64[len(moves), W].

    Rules that look back at the whole game, such as superko, are kept. Raises BadInput that names the illegal move.

    >>> import gpumcts as g
    >>> g.after(g.make("othello"), "f5 d6", "f5 f6 e6").shape
    (2, 3)
    """
    value = compiled(value_of("game", game))
    return np.array([_after(value, _text("moves", line)) for line in moves], np.uint64).reshape(-1, value.WORDS)


def _after(game: Option | str, line: str) -> States:
    board = GtpPosition(game)
    for number, move in enumerate(line.split(), 1):
        try:
            board.push(board.parse(move))
        except BadInput as error:
            raise BadInput(f"moves: number {number}: {error}") from None
    return board.words()


def random_positions(
    game: Option | str, count: SupportsIndex, plies: SupportsIndex = 10, seed: SupportsIndex = 1
) -> States:
    """Positions after ``plies`` random plies from the start: uint64[count, W], none of them over.

    Games are played in order of their number, moves drawn as uniform playouts draw them, under the keys of a match with
    the same seed. A game that ends by then is left out, and the next number takes its place. Where chance is to move
    after the last ply, it does, until a player is to move.

    Raises BadInput for numbers out of range, and where too few games last so long.

    >>> import gpumcts as g
    >>> g.random_positions(g.make("othello"), 100, plies=10, seed=1).shape
    (100, 3)
    """
    rules, wanted = Rules(value_of("game", game)), integer("count", count, 1, MAX_BATCH)
    length, root = integer("plies", plies, 0, rules.game.MAX_PLIES), key_of(seed_of(seed))
    found: list[States] = []
    there = number = 0
    while there < wanted:
        if number >= TRIES_A_POSITION * wanted:
            raise BadInput(f"plies={length}: only {there} of {number} random games last so long; lower plies")
        numbers = np.arange(number, number + max(wanted - there, 64))
        states = _random_games(rules, numbers, length, root)
        found.append(states)
        there, number = there + len(states), number + len(numbers)
    return np.concatenate(found)[:wanted]


def _random_games(rules: Rules, numbers: np.ndarray, plies: int, root: np.uint64) -> States:
    """The states of games ``numbers`` (int64[K]) after so many plies, in order, without games that are over."""
    states, ply = rules.starts(len(numbers)), 0
    while len(states):
        counts, movers = rules.describe(states)
        going = counts > 0
        states, numbers, movers = states[going], numbers[going], movers[going]
        moving = np.ones(len(states), bool) if ply < plies else movers == CHANCE
        if not moving.any():
            break
        keys = keys_of(root, numbers[moving], np.full(moving.sum(), ply))
        states[moving] = rules.play(states[moving], rules.random_moves(states[moving], keys))
        ply += 1
    return states


def play(game: Option | str, states: "npt.ArrayLike", moves: "npt.ArrayLike") -> States:
    """The positions after one legal move in each state: uint64[B, W], a new array.

    Parameters
    ----------
    states : uint64[B, W]
    moves : int64[B], numbers as ``legal_moves`` gives them; chance's outcomes where chance moves

    Rules that look back at the whole game, such as superko, go by what the state holds; ``after`` follows a whole game.
    Raises BadInput for another shape or type, and where a move is not legal.

    >>> import gpumcts as g
    >>> game = g.make("othello")
    >>> states = g.start(game, batch=2)
    >>> g.play(game, states, g.legal_moves(game, states[0])[:2]).shape
    (2, 3)
    """
    rules = Rules(value_of("game", game))
    before, chosen = batch_of(rules.width, states), _array(moves)
    if chosen.shape != (len(before),) or chosen.dtype.kind not in "iu":
        raise BadInput(f"moves: must be int64[{len(before)}], a move for each state, not {_shape(chosen)}")
    for row, move in enumerate(chosen.tolist()):
        check_legal(rules, before[row], f"moves[{row}]", move, f"states[{row}]")
    return rules.play(before, chosen.astype(np.int64))


def check_legal(rules: Rules, state: np.ndarray, name: str, move: int, place: str) -> None:
    """Refuse a move that is not legal in ``state`` (uint64[W]). BadInput names both, and moves that are legal."""
    legal = rules.legal_moves(state).tolist()
    if move not in legal:
        shown = ", ".join([*map(str, legal[:SHOWN]), *(["..."] if len(legal) > SHOWN else [])])
        there = f"legal are {shown}" if legal else "the game is over there"
        raise BadInput(f"{name}={move}: not legal in {place}; {there}")


def legal_moves(game: Option | str, state: "npt.ArrayLike") -> npt.NDArray[np.int64]:
    """The legal moves of a position, or chance's outcomes, increasing: int64[n]; empty where the game is over.

    Raises BadInput for what is no state of the game.

    >>> import gpumcts as g
    >>> game = g.make("othello")
    >>> [g.move_text(game, g.start(game), move) for move in g.legal_moves(game, g.start(game))]
    ['d3', 'c4', 'f5', 'e6']
    """
    rules = Rules(value_of("game", game))
    return rules.legal_moves(one_of(rules.width, state))


def move_text(game: Option | str, state: "npt.ArrayLike", move: SupportsIndex) -> str:
    """A legal move of a position in the game's notation.

    Raises BadInput where it is not legal there.

    >>> import gpumcts as g
    >>> game = g.make("othello")
    >>> g.move_text(game, g.start(game), 37)
    'f5'
    """
    rules = Rules(value_of("game", game))
    words = one_of(rules.width, state)
    number = integer("move", move, 0, 2**31 - 1)
    check_legal(rules, words, "move", number, "this state")
    with np.errstate(over="ignore"):
        return str(contract.move_text(rules.game, rules.state(words), number))


def board_text(game: Option | str, state: "npt.ArrayLike") -> str:
    """A position drawn for people, several lines. Raises BadInput for what is no state of the game.

    >>> import gpumcts as g
    >>> game = g.make("dots_and_boxes", rows=1, columns=1)
    >>> "+" in g.board_text(game, g.start(game))
    True
    """
    rules = Rules(value_of("game", game))
    with np.errstate(over="ignore"):
        return str(contract.board_text(rules.game, rules.state(one_of(rules.width, state))))


def position_text(game: Option | str, state: "npt.ArrayLike") -> str:
    """A position on one line, complete, as ``position`` reads it. Raises BadInput for what is no state of the game.

    >>> import gpumcts as g
    >>> game = g.make("othello")
    >>> g.position_text(game, g.start(game)).split()[-1]
    'X'
    """
    rules = Rules(value_of("game", game))
    with np.errstate(over="ignore"):
        return str(contract.position_text(rules.game, rules.state(one_of(rules.width, state))))


def batch_of(width: int, states: "npt.ArrayLike") -> States:
    """``states`` as uint64[B, width], contiguous, B at least 1; raises BadInput for another shape or type."""
    given = _array(states)
    if given.dtype != np.uint64 or given.ndim != 2 or given.shape[1] != width or not len(given):
        raise BadInput(f"states: must be uint64[B, {width}], a batch of at least one state, not {_shape(given)}")
    return np.ascontiguousarray(given)


def one_of(width: int, state: "npt.ArrayLike") -> States:
    """``state`` as uint64[width], from a state or a batch of one; raises BadInput for another shape or type."""
    given = _array(state)
    if given.dtype != np.uint64 or given.shape not in ((width,), (1, width)):
        raise BadInput(f"state: must be uint64[{width}], one state, not {_shape(given)}")
    return np.ascontiguousarray(given.reshape(width))


def _array(given: npt.ArrayLike) -> np.ndarray:
    """What is given as an array; rows of several lengths as objects, which every caller refuses."""
    try:
        return np.asarray(given)
    except ValueError:
        rows: Any = given
        return np.empty(len(rows), object)


def _shape(given: np.ndarray) -> str:
    return f"{given.dtype}[{', '.join(map(str, given.shape))}]"


def _text(name: str, given: str) -> str:
    if not isinstance(given, str):
        raise BadInput(f"{name}={said(given)}: must be text")
    return given


def check_deciding(rules: Any, states: States) -> None:
    """Refuse positions that nobody decides in: BadInput names the first that is over, or where chance is to move."""
    movers = check_playing(rules, states)
    if CHANCE in movers:
        raise BadInput(
            f"states[{movers.index(CHANCE)}]: chance is to move there, and a search decides for a player; "
            "play(game, states, moves) takes one of its outcomes"
        )


def check_playing(rules: Any, states: States) -> Sequence[int]:
    """Movers of ``states`` as a list; raises BadInput, naming the first of them, where a game is over."""
    counts, movers = rules.describe(states)
    over = np.flatnonzero(counts == 0)
    if len(over):
        raise BadInput(f"states[{over[0]}]: the game is over there, nothing is left to play")
    return movers.tolist()
