"""The conformance suite: the properties of every game, in compiled code and plain Python, one check a function.

Statistical questions refuse a correct game with a probability below 1e-6 each; keys are fixed, so that answers are too.
"""

import functools
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chisquare

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.conformance import declared, drivers, places, plain_games, typed_bodies
from gpumcts.games.conformance.watch import watched
from gpumcts.games.contract import CHANCE, NO_MOVE, SCORE_UNIT
from gpumcts.rng import PLY_STEP

DRAWS, SURE = 6000, 1e-6
DAMAGED = 150  # texts
PARSED = 24  # moves of a position whose texts are read again
BAD_MOVES = ("", "no such move", "-1", "99", "é")


class Effort(NamedTuple):
    """How much is asked of a game.

    games : random games, compiled; replayed : of these in plain Python
    every : of these one position in so many is gone through in plain Python, if it has at most ``moves`` moves
    """

    games: int = 2000
    replayed: int = 4
    every: int = 1
    moves: int = 1 << 15


class Suite:
    """The questions to one game (as it travels into compiled code); random games are made once."""

    def __init__(self, game: Any, effort: Effort = Effort()) -> None:
        self.game, self.effort = game, effort

    @functools.cached_property
    def traced(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States uint64[G, P, W], moves int64[G, P] and plies int64[G] of random games."""
        return drivers.trace(self.game, drivers.keys_of(1, count=self.effort.games))

    @property
    def ends(self) -> np.ndarray:
        """Their last states, uint64[G, W]."""
        words, _, plies = self.traced
        return words[np.arange(len(plies)), plies]

    def plain_states(self, games: int) -> list[Any]:
        """The states of the first few as NamedTuples."""
        words, _, plies = self.traced
        rows = drivers.positions(words[:games], plies[:games])
        return [contract.unpack(self.game, row, 0, 1) for row in rows]

    def gone_through(self, number: int, state: Any) -> bool:
        """Whether the moves of state ``number`` are gone through in plain Python."""
        return number % self.effort.every == 0 and contract.count_moves(self.game, state) <= self.effort.moves

    def run(self, question: Callable[["Suite"], str]) -> str:
        """Empty where the answer is right, else what is wrong, on one line; a body that raises, or stays, is wrong."""
        with np.errstate(over="ignore"):
            try:
                return watched(lambda game: question(self), self.game)
            except BadInput as error:
                return str(error)
            except (Exception, SystemExit) as error:
                if said := places.raised(self.game, error):
                    return said
                raise


def class_and_bodies(suite: Suite) -> str:
    """the class says what it must, and every verb that is needed has a body"""
    declared.check(suite.game)
    if hash(suite.game) != hash(type(suite.game)(*suite.game)):
        return "an option is a key: two of equal fields hash alike"
    return ""


def plain_python(suite: Suite) -> str:
    """random games in plain Python: states, moves, scores, texts, MAX_PLIES, MAX_MOVES"""
    plain_games.check(suite.game, min(suite.effort.replayed, plain_games.GAMES))
    return ""


def types_of_bodies(suite: Suite) -> str:
    """each body compiles alone, and returns the type that it should"""
    typed_bodies.check(suite.game)
    return ""


def rules_hold(suite: Suite) -> str:
    """moves rise and agree, random moves are legal, evaluations keep their limit, strides of packing"""
    words, _, plies = suite.traced
    states = drivers.positions(words, plies)
    at, fault = drivers.first_fault(suite.game, states, drivers.keys_of(2, count=997))
    return "" if at < 0 else f"{fault}: {_text(suite.game, states[at])}"


def ends_stay(suite: Suite) -> str:
    """finished games stay finished, with their score, however they are played on"""
    ends = suite.ends
    at, fault = drivers.first_bad_ending(suite.game, ends, drivers.keys_of(3, count=len(ends)), SCORE_UNIT)
    return "" if at < 0 else f"{fault}: {_text(suite.game, ends[at])}"


def bound_holds(suite: Suite) -> str:
    """no game lasts longer than MAX_PLIES"""
    numbers, _, _ = drivers.described(suite.game, suite.ends, drivers.keys_of(3, count=len(suite.ends)))
    return "" if (numbers[:, 0] == 0).all() else f"a game was not over after MAX_PLIES = {suite.game.MAX_PLIES} plies"


def players_move(suite: Suite) -> str:
    """who moves are the players that PLAYERS says, all of them"""
    words, _, plies = suite.traced
    states = drivers.positions(words, plies, ends=False)
    numbers, _, _ = drivers.described(suite.game, states, np.zeros(len(states), np.uint64))
    found = set(numbers[:, 1].tolist()) - {CHANCE}
    return "" if found == set(range(suite.game.PLAYERS)) else f"PLAYERS = {suite.game.PLAYERS}, but movers are {found}"


def same_states(suite: Suite) -> str:
    """plain Python plays the states of compiled code"""
    game, (words, moves, plies) = suite.game, suite.traced
    keys = drivers.keys_of(1, count=suite.effort.replayed)
    for g in range(suite.effort.replayed):
        state, stream = contract.start(game), keys[g]
        for ply in range(plies[g] + 1):
            if not np.array_equal(np.array(state, np.uint64), words[g, ply]):
                return (
                    f"ply {ply}: plain Python comes to {_text(game, state)}, "
                    f"compiled code to {_text(game, words[g, ply])}"
                )
            if ply == plies[g]:
                break
            drawn = contract.chance_move if contract.mover(game, state) == CHANCE else contract.random_move
            if drawn(game, state, stream) != moves[g, ply]:
                return (
                    f"plain Python draws {drawn(game, state, stream)}, "
                    f"compiled code {moves[g, ply]}: {_text(game, state)}"
                )
            state, stream = contract.play(game, state, moves[g, ply]), stream + PLY_STEP
    return ""


def same_answers(suite: Suite) -> str:
    """plain Python says of states what compiled code says"""
    game, (words, _, plies) = suite.game, suite.traced
    rows = drivers.positions(words[: suite.effort.replayed], plies[: suite.effort.replayed])
    numbers, moves, remaining = drivers.described(game, rows, drivers.keys_of(4, count=len(rows)))
    for s, state in enumerate(suite.plain_states(suite.effort.replayed)):
        count = contract.count_moves(game, state)
        if numbers[s, :3].tolist() != [count, contract.mover(game, state), contract.over(game, state)]:
            return f"count_moves, mover or over differ: {_text(game, state)}"
        if not suite.gone_through(s, state):
            continue
        legal = [contract.nth_move(game, state, k) for k in range(count)]
        if not legal == _by_next(game, state) == moves[s, :count].tolist():
            return f"the legal moves differ: {_text(game, state)}"
        worth = contract.score(game, state) if count == 0 else contract.evaluation(game, state)
        if worth != numbers[s, 3] or (count > 0 and contract.remaining_plies(game, state) != remaining[s]):
            return f"score, evaluation or remaining_plies differ: {_text(game, state)}"
    return ""


def random_weights(suite: Suite) -> str:
    """random moves are drawn by move_weight, all alike where it is not given"""
    for salt, state in enumerate(_with_a_choice(suite, chance=False)):
        moves, counts = _draws(suite.game, state, salt)
        weights = np.array([contract.move_weight(suite.game, state, move) for move in moves])
        if (weights < 0).any() or not weights.any() or counts.sum() != DRAWS or counts[weights == 0].any():
            return f"random_move gives a move of weight 0, or one that is not legal: {_text(suite.game, state)}"
        counts, weights = counts[weights > 0], weights[weights > 0]
        if len(counts) > 1 and chisquare(counts, DRAWS * weights / weights.sum()).pvalue <= SURE:
            return f"random_move does not keep move_weight: {_text(suite.game, state)}: {counts.tolist()}"
    return ""


def chance_weights(suite: Suite) -> str:
    """chance keeps its probabilities"""
    for salt, state in enumerate(_with_a_choice(suite, chance=True)):
        outcomes, counts = _draws(suite.game, state, salt)
        weights = np.array([contract.chance_weight(suite.game, state, move) for move in outcomes])
        if (weights <= 0).any() or counts.sum() != DRAWS:
            return f"chance_move gives what is no outcome, or a weight is not positive: {_text(suite.game, state)}"
        if chisquare(counts, DRAWS * weights / weights.sum()).pvalue <= SURE:
            return f"chance_move does not keep chance_weight: {_text(suite.game, state)}: {counts.tolist()}"
    return ""


def move_sets(suite: Suite) -> str:
    """the bits of move_set are the legal moves, in order, where the game has it"""
    game = suite.game
    if contract.move_set.find(type(game)) is None:
        return ""
    for number, state in enumerate(suite.plain_states(suite.effort.replayed)):
        if not suite.gone_through(number, state):
            continue
        word = int(contract.move_set(game, state))
        bits = [np.uint64(bit) for bit in range(64) if word >> bit & 1]
        legal = [int(contract.nth_move(game, state, k)) for k in range(contract.count_moves(game, state))]
        if [int(contract.move_of_bit(game, state, bit)) for bit in bits] != legal:
            return f"move_set is not the legal moves: {_text(game, state)}"
    return ""


def cells(suite: Suite) -> str:
    """past the end no random move is a point below CELLS, where the game has points"""
    game = suite.game
    if not getattr(game, "CELLS", 0):
        return ""
    for number, row in enumerate(suite.ends[:100]):
        state = contract.unpack(game, row, 0, 1)
        if contract.random_move(game, state, drivers.keys_of(7, number, count=1)[0]) < game.CELLS:
            return f"random_move gives a point past the end: {_text(game, state)}"
    return ""


def move_texts(suite: Suite) -> str:
    """each legal move has a text of its own, one word, which names it; other texts are refused"""
    game = suite.game
    for number, state in enumerate(suite.plain_states(1)):
        if not suite.gone_through(number, state):
            continue
        legal = [int(contract.nth_move(game, state, k)) for k in range(contract.count_moves(game, state))]
        texts = [contract.move_text(game, state, move) for move in legal]
        if len(set(texts)) != len(texts) or not all(text and text.split() == [text] for text in texts):
            return f"texts of moves are not words, each of its own: {texts}"
        some = range(0, len(legal), 1 + len(legal) // PARSED)
        if [contract.parse_move(game, state, texts[i]) for i in some] != [legal[i] for i in some]:
            return f"parse_move gives other moves than move_text wrote: {texts}"
        asked = BAD_MOVES if number < PARSED else ()
        taken = next((bad for bad in asked if not _refused(contract.parse_move, game, state, bad)), None)
        if taken is not None:
            return f"parse_move takes {taken!r} for a move"
    return ""


def position_texts(suite: Suite) -> str:
    """each position has a text, one line, from which it is read again"""
    game = suite.game
    for state in suite.plain_states(suite.effort.replayed):
        text = contract.position_text(game, state)
        again = contract.parse_position(game, text)
        if again != state or not all(type(word) is np.uint64 for word in again):
            return f"parse_position gives another state than position_text wrote: {text!r}"
        if "\n" in text or not contract.board_text(game, state):
            return f"position_text has several lines, or board_text none: {text!r}"
    return ""


def bad_positions(suite: Suite) -> str:
    """texts that are no position are refused, in one line that says `position`"""
    text = contract.position_text(suite.game, contract.start(suite.game))
    for bad in ("", " ", "no such position", "0", text + " and more", text.split()[0][:-1] or "?", "?" + text):
        try:
            contract.parse_position(suite.game, bad)
        except BadInput as refusal:
            if "\n" in str(refusal) or "position" not in str(refusal):
                return f"the refusal of {bad!r} has several lines, or does not say `position`"
        else:
            return f"parse_position takes {bad!r} for a position"
    return ""


def damaged_positions(suite: Suite) -> str:
    """a damaged position is refused, or is another one that keeps the rules"""
    game, pick = suite.game, random.Random(8)
    texts = [contract.position_text(game, state) for state in suite.plain_states(suite.effort.replayed)]
    for _ in range(DAMAGED):
        text = pick.choice(texts)
        at, put = pick.randrange(len(text)), pick.choice(["", " ", *"0123459-.|/XOABxoabce"])
        damaged = text[:at] + put + text[at + 1 :]
        fault = fault_of_text(game, damaged)
        if fault:
            return f"{fault}: {damaged!r}"
    return ""


def fault_of_text(game: Any, text: str) -> str:
    """What is wrong with the position that a text is taken for; empty where it is refused, or keeps the rules."""
    try:
        state = contract.parse_position(game, text)
    except BadInput:
        return ""
    row, keys = np.array([state], np.uint64), drivers.keys_of(6, count=1)
    at, fault = drivers.first_fault(game, row, keys)
    if at < 0 and contract.count_moves(game, state) == 0:
        at, fault = drivers.first_bad_ending(game, row, keys, SCORE_UNIT)
    return "" if at < 0 else fault


QUESTIONS: tuple[Callable[[Suite], str], ...] = (
    class_and_bodies,
    plain_python,
    types_of_bodies,
    rules_hold,
    ends_stay,
    bound_holds,
    players_move,
    same_states,
    same_answers,
    random_weights,
    chance_weights,
    move_sets,
    cells,
    move_texts,
    position_texts,
    bad_positions,
    damaged_positions,
)
"""In order: what the first three refuse is not compiled."""


def answers(game: Any, effort: Effort = Effort()) -> Iterator[tuple[str, str]]:
    """What each question asks, and what is wrong (empty where nothing is); ends at the first three if they refuse."""
    suite = Suite(game, effort)
    for number, question in enumerate(QUESTIONS):
        fault = suite.run(question)
        yield str(question.__doc__), fault
        if fault and number < 3:
            return


# --------------------------------------------------------------------------------------------------------- helpers


def _text(game: Any, state: Any) -> str:
    """A state, packed or not, as text."""
    state = contract.unpack(game, state, 0, 1) if isinstance(state, np.ndarray) else state
    return contract.position_text(game, state)


def _by_next(game: Any, state: Any) -> list[int]:
    found, move = [], contract.next_move(game, state, NO_MOVE)
    while move != NO_MOVE:
        found.append(move)
        move = contract.next_move(game, state, move)
    return found


def _draws(game: Any, state: Any, salt: int) -> tuple[np.ndarray, np.ndarray]:
    """How often each legal move was drawn: (moves, counts)."""
    words = np.array([state], np.uint64).repeat(DRAWS, axis=0)
    numbers, moves, _ = drivers.described(game, words, drivers.keys_of(5, salt, count=DRAWS))
    legal = moves[0, : numbers[0, 0]]
    return legal, np.array([(numbers[:, 4] == move).sum() for move in legal])


def _with_a_choice(suite: Suite, chance: bool, count: int = 5) -> list[Any]:
    """A few states of random games with a choice, spread over the game."""
    game, replayed = suite.game, suite.plain_states(suite.effort.replayed)
    states = [s for s in dict.fromkeys(replayed) if contract.count_moves(game, s) > 1]
    states = [s for s in states if (contract.mover(game, s) == CHANCE) == chance]
    return states[:: max(1, len(states) // count)]


def _refused(verb: Callable, *arguments: Any) -> bool:
    try:
        verb(*arguments)
    except BadInput:
        return True
    return False
