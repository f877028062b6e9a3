"""PGN: games of Chess in and out. Plain Python, never compiled.

A file holds any number of games. Each has tags, ``[White "Polgar"]``, then its moves in algebraic notation with
comments, in braces or from a semicolon to the end of the line, numbers of moves, signs ($1, !?), and variations in
parentheses, which may hold more of them; then its result. Moves are played through by our rules; variations and
comments are not kept.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.chess.fen import fen_of, plies_before
from gpumcts.games.chess.options import Board, Chess
from gpumcts.games.chess.rules import after, drawn
from gpumcts.games.chess.san import of_san, san
from gpumcts.games.contract import Record

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?", "Result": "*"}
VARIANTS = ("", "standard", "chess", "normal", "from position")
MAX_DIGITS = 9  # of a number of a move that is looked at
WIDTH, MAX_SHOWN = 79, 20  # characters; a line of 80 is not allowed
TOKEN = re.compile(
    r"""(?P<space>\s+ | ^%[^\n]* | ;[^\n]* | \{[^}]*\} | \$\d+ | [!?]+ | \.+
            | (?:e\.p\. | \+/?[-=] | [-=]/?\+ | [=\u00b1\u2213\u2a72\u2a71\u221eN])(?=[\s(){};$]|\Z))
    | (?P<tag>\[\s*(?P<name>\w+)\s+"(?P<value>(?:[^\\\n]|\\.)*?)"\s*\])
    | (?P<open>\() | (?P<close>\))
    | (?P<result>(?:1-0|0-1|1/2-1/2|\*)(?![^\s(){};\[$!?]))
    | (?P<number>\d+(?:\s*\.+|(?=\s)))
    | (?P<move>[^\s(){};$!?\[\]*]+[!?]*)""",
    re.VERBOSE | re.MULTILINE,
)
ESCAPED = re.compile(r'\\(["\\])')
WRONG = {
    "{": "a comment that begins with '{' does not end",
    "}": "there is a '}' without a comment",
    "[": "there is a '[' that begins no tag such as [White \"Polgar\"]",
    "]": "there is a ']' without a tag",
}


class Score(NamedTuple):
    """A game as it is written: its tags, and the texts of its moves."""

    number: int
    tags: dict[str, str]
    moves: list[str]

    def wrong(self, why: str) -> BadInput:
        """The error of what stands before the first move."""
        return BadInput(f"game {self.number}: {why}")

    def wrong_after(self, why: str) -> BadInput:
        """The error of what stands after the moves read so far."""
        return BadInput(f"game {self.number}, after ply {len(self.moves)}: {why}") if self.moves else self.wrong(why)


# ------------------------------------------------------------------------------------------------------------ reading


def games_of(text: str, source: str = "PGN", game: Any = None) -> Iterator[Record]:
    """The games of a file one by one, by the terms of ``game`` (an option value; ``Chess()`` if None).

    A game ends with its result, where the tags of the next one begin, or with the file. Draws need no claim here: what
    is played after fifty moves, or with too few pieces to mate, must be legal and is left out of the record.

    Raises BadInput that names ``source``, game number (from 1), ply and move, when it comes to what is wrong.
    """
    kind = Chess().compiled() if game is None else game
    scores = _scores(text)
    while True:
        try:
            score = next(scores, None)
            if score is None:
                return
            record = _record(kind, score, None)
        except BadInput as error:
            raise BadInput(f"{source}: {error}") from None
        yield record


@contract.parse_record.implements(Board)
def first_of_pgn(game, text, plies):
    return nth_of_pgn(game, text, 1, plies)


@contract.parse_nth_record.implements(Board)
def nth_of_pgn(game, text, number, plies):
    count = 0
    for score in _scores(text):
        count = score.number
        if count == number:
            return _record(game, score, plies)
    raise BadInput(f"there is no game {number}: it holds {count or 'none'}")


def _scores(text: str) -> Iterator[Score]:
    """The games of a file, checked against the grammar. Nothing is recursive."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    score, depth, at = Score(1, {}, []), 0, 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise score.wrong_after(WRONG.get(text[at], f"there is {_shown(text[at:])}"))
        at, kind = token.end(), token.lastgroup
        if token["name"]:
            if depth:
                raise score.wrong_after("a variation that begins with '(' does not end")
            if score.moves or (token["name"] == "Event" and "Event" in score.tags):
                yield score
                score = Score(score.number + 1, {}, [])
            score.tags[token["name"]] = ESCAPED.sub(r"\1", token["value"])
        elif kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
            if depth < 0:
                raise score.wrong_after("there is a ')' without a variation")
        elif kind == "result" and depth == 0:
            score.tags.setdefault("Result", token[0])
            yield score
            score = Score(score.number + 1, {}, [])
        elif kind == "move" and depth == 0:
            score.moves.append(token[0])
        elif kind == "number" and depth == 0 and len(score.moves) > 1 and _is_one(token[0]):
            raise score.wrong_after("the moves begin again at 1: the game has no result, or the next one no tags")
    if depth:
        raise score.wrong_after("a variation that begins with '(' does not end")
    if score.moves or score.tags:
        yield score


def _is_one(number: str) -> bool:
    """Whether the number of a move is 1; Python reads no integer of more than 4,300 digits."""
    digits = number.rstrip(".").strip().lstrip("0")
    return len(digits) < MAX_DIGITS and bool(digits) and int(digits) == 1


def _record(game: Any, score: Score, plies: int | None) -> Record:
    """A game played through, up to so many moves, or all of them."""
    variant = score.tags.get("Variant", "")
    if variant.lower() not in VARIANTS:
        raise score.wrong(f"it is one of {_shown(variant)}, not of Chess")
    with np.errstate(over="ignore"):
        start = _start(game, score)
        moves = _played(game, start, score, plies)
    if plies is not None and len(moves) < plies:
        raise score.wrong(f"it has {len(moves)} moves, no {plies}")
    return Record(game, {}, start, moves, score.tags)


def _start(game: Any, score: Score) -> Any:
    """The position that the moves begin with."""
    fen = score.tags.get("FEN")
    if fen is None or score.tags.get("SetUp") == "0":
        if score.tags.get("SetUp") == "1":
            raise score.wrong("SetUp is 1 and there is no tag FEN")
        return contract.start(game)
    try:
        return contract.parse_position(game, fen)
    except BadInput as error:
        raise score.wrong(f"FEN {error}") from None


def _played(game: Any, start: Any, score: Score, plies: int | None) -> list[int]:
    """The moves up to the end of the game by our rules, all of them checked against what pieces may do."""
    state, moves, over = start, [], bool(contract.over(game, start))
    for ply, text in enumerate(score.moves[:plies], 1):
        found = of_san(state, text)
        if len(found) != 1:
            before = plies_before(start) + ply - 1
            place = f"{before // 2 + 1}{'...' if before % 2 else '.'} {_shown(text)}"
            why = f"may be any of {len(found)} moves" if found else "is not legal"
            raise BadInput(f"game {score.number}, ply {ply}: {place} {why} in {fen_of(state)}")
        if not over:
            moves.append(found[0].number)
        state = after(game, state, np.int64(found[0].number))
        over = over or bool(drawn(game, state))
    return moves


def _shown(text: str) -> str:
    """The beginning of a text on one line, between quotes."""
    words = " ".join(text[: MAX_SHOWN + 1].split())
    return repr(words if len(words) <= MAX_SHOWN else words[:MAX_SHOWN] + "...")


# ------------------------------------------------------------------------------------------------------------ writing


@contract.record_format.implements(Board)
def chess_has_pgn(game):
    return "pgn"


@contract.record_text.implements(Board)
def pgn_text(game, record):
    """The seven tags that each game has, FEN where it does not begin at the start, the others by name, then the moves.

    The result is that of the tags, or as the game has ended; ``*`` where it has not.
    """
    with np.errstate(over="ignore"):
        moves, result = _told(game, record)
        usual = record.start == contract.start(game)
        tags = {name: record.tags.get(name) or missing for name, missing in ROSTER.items()} | {"Result": result}
        tags |= {} if usual else {"SetUp": "1", "FEN": fen_of(record.start)}
    others = {name: record.tags[name] for name in sorted(record.tags) if name not in (*ROSTER, "SetUp", "FEN")}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in (tags | others).items()]
    return "\n".join([*lines, "", *_wrapped([*moves, result]), ""])


def _told(game: Any, record: Record) -> tuple[list[str], str]:
    """The moves with their numbers, and the result."""
    state, words, before = record.start, [], plies_before(record.start)
    for i, move in enumerate(record.moves, before):
        if i == before or i % 2 == 0:
            words.append(f"{i // 2 + 1}{'...' if i % 2 else '.'}")
        words.append(san(game, state, move))
        state = contract.play(game, state, np.int64(move))
    if record.tags.get("Result") in RESULTS:
        return words, record.tags["Result"]
    if contract.count_moves(game, state):
        return words, "*"
    return words, RESULTS[(0, 2, 1)[int(np.sign(-contract.score(game, state))) + 1]]


def _escaped(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace('"', '\\"').split())


def _wrapped(words: list[str]) -> Iterator[str]:
    """Words in lines."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line
