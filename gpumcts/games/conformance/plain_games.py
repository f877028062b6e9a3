"""Random games in plain Python, before anything is compiled: what a game's bodies return, ply by ply.

It takes milliseconds, and an error has a traceback that names the line. ``MAX_PLIES`` and ``MAX_MOVES`` that are too
small are found here, where they harm nothing: compiled code sizes its memory by them.
"""

from typing import Any

import numpy as np

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.conformance import further_verbs, places
from gpumcts.games.conformance.bodies import no_int64
from gpumcts.games.conformance.typed_bodies import body_of, sets_of
from gpumcts.games.contract import CHANCE, NO_MOVE, SCORE_UNIT
from gpumcts.rng import PLY_STEP, key_of

U = np.uint64
GAMES = 20
MAX_STATES = 400  # looked at in all; the first game is looked at to its end
MAX_LISTED = 32  # moves of a position that are gone through
FEW_MOVES, EVERY = 8, 7  # positions of more moves are gone through every so many plies
AS_IT_IS = "return the state as it is where the game is over"
PAST_THE_END = 8  # plies that are played on after it
LATE = 64  # plies after the end by which ``over`` must answer
SEED = 61
NAMES = {"uint64": "uint64", "int": "int64", "int64": "int64", "float": "float64", "float64": "float64", "bool": "bool"}


def check(game: Any, games: int = GAMES) -> None:
    """Raises BadInput, one line with file and line, for the first fault of random games of a game (as it travels)."""
    with np.errstate(all="ignore"):
        seen = 0
        for number in range(games):
            seen += _Game(game, number).play()
            if seen > MAX_STATES:
                return


class _Game:
    """One random game, each of whose answers is looked at."""

    def __init__(self, game: Any, number: int) -> None:
        self.game, self.stream, self.number = game, key_of(SEED, number), number
        self.files = places.sources(game)
        self.names: dict[int, str] = {}
        self.first = self.ask("start")
        self.check_state("start", self.first)

    def ask(self, verb: str, *arguments: Any) -> Any:
        """What a verb answers; an exception becomes one line that names its place."""
        body = getattr(contract, verb)
        try:
            return body(self.game, *arguments)
        except (Exception, SystemExit) as error:
            where = places.of_error(error, self.files) or self.place(verb)
            raise BadInput(places.told(where, verb, error)) from error

    def place(self, verb: str) -> str:
        """Where the body of a verb is defined."""
        return places.of_body(getattr(contract, verb).find(type(self.game)))

    def refuse(self, verb: str, what: str) -> None:
        raise BadInput(f"{self.place(verb)}: {what}")

    def whole(self, verb: str, *arguments: Any) -> int:
        """A verb's answer, which must be a signed integer."""
        answer = self.ask(verb, *arguments)
        if isinstance(answer, np.unsignedinteger) or not isinstance(answer, int | np.integer | np.bool_):
            self.refuse(verb, f"{verb} {no_int64(answer)}")
        return int(answer)

    def text(self, verb: str, *arguments: Any) -> str:
        """A verb's answer, which must be text."""
        answer = self.ask(verb, *arguments)
        if not isinstance(answer, str):
            self.refuse(verb, f"{verb} returns {type(answer).__name__}, not text")
        return answer

    def check_state(self, verb: str, state: Any) -> None:
        kind = type(state)
        if not hasattr(kind, "_fields") or not all(type(word) is U for word in state):
            names = getattr(kind, "_fields", ())
            named = "" if verb == "start" or not names else f", start returns {written(self.first)}"
            wrong = [field for field, word in zip(names, state, strict=True) if type(word) is not U] if names else []
            fields = f": field `{wrong[0]}`" if wrong else ": not a NamedTuple of np.uint64"
            self.refuse(verb, f"{verb} returns {written(state)}{named}{fields}")
        if len(state) != self.game.WORDS:
            self.refuse(
                verb, f"{verb} returns {len(state)} words, but {title(type(self.game))}.WORDS = {self.game.WORDS}"
            )
        if verb != "start" and kind is not type(self.first):
            self.refuse(verb, f"{verb} returns {title(kind)}, start returns {title(type(self.first))}")

    # ------------------------------------------------------------------------------------------------------ playing

    def play(self) -> int:
        """Play the game; the states looked at."""
        state, plies = self.first, 0
        while True:
            count = self.check_position(state, plies)
            if count == 0:
                break
            if plies >= self.game.MAX_PLIES:
                kind = type(self.game)
                raise BadInput(
                    f"{places.of_class(kind)}: {title(kind)}.MAX_PLIES = {self.game.MAX_PLIES}, but a random game "
                    f"was not over after {plies} plies"
                )
            state = self.step(state)
            plies += 1
        self.check_end(state)
        return plies + 1

    def drawn(self, state: Any) -> int:
        return self.whole("chance_move" if self.whole("mover", state) == CHANCE else "random_move", state, self.stream)

    def step(self, state: Any) -> Any:
        move = self.drawn(state)
        after = self.ask("play", state, np.int64(move))
        self.check_state("play", after)
        self.stream += PLY_STEP
        return after

    def check_position(self, state: Any, plies: int) -> int:
        """Look at one state; the number of its moves."""
        game, kind = self.game, type(self.game)
        self.check_sets(state)
        count, who = self.whole("count_moves", state), self.whole("mover", state)
        if who not in (0, 1, CHANCE) or (who == 1 and game.PLAYERS == 1):
            self.refuse("mover", f"mover returns {who}, and {title(kind)}.PLAYERS = {game.PLAYERS}")
        if not 0 <= count <= game.MAX_MOVES:
            raise BadInput(
                f"{places.of_class(kind)}: {title(kind)}.MAX_MOVES = {game.MAX_MOVES}, "
                f"but count_moves returns {count} after {plies} plies"
            )
        further_verbs.check_words(self, state)
        if count <= FEW_MOVES or plies % EVERY == self.number % EVERY:
            self.check_moves(state, count)
        if count == 0:
            return 0
        if bool(self.ask("over", state)):
            self.refuse("over", f"over answers yes after {plies} plies, where count_moves returns {count}")
        if (past := self.whole("overrun", state)) != 0:  # of a playout that is cut here
            self.refuse("overrun", f"overrun returns {past} after {plies} plies, where count_moves returns {count}")
        self.check_worth(state)
        return count

    def check_sets(self, state: Any) -> None:
        """Look at the moves as a set, where the game says them so: the verbs about single moves only read it."""
        for verb in sets_of(self.game):
            body = body_of(self.game, verb)
            try:
                found = body(self.game, state)
            except (Exception, SystemExit) as error:
                where = places.of_error(error, self.files) or places.of_body(body)
                said = [type(error).__name__, *str(error).splitlines()[:1]]
                raise BadInput(f"{where}: the set of moves raised {': '.join(said)}") from error
            if not all(type(word) is U for word in ([found] if verb == "move_set" else found)):
                words = NAMES.get(type(found).__name__, type(found).__name__) if verb == "move_set" else written(found)
                wanted = "uint64" if verb == "move_set" else "a NamedTuple of uint64"
                raise BadInput(f"{places.of_body(body)}: the set of moves is {words}, not {wanted}: wrap numbers, U(1)")

    def check_moves(self, state: Any, count: int) -> None:
        before, moves = NO_MOVE, []
        for k in range(min(count, MAX_LISTED)):
            move = self.whole("nth_move", state, np.int64(k))
            if not before < move < 1 << 31:
                self.refuse("nth_move", f"nth_move gives move {move} after {before}: moves rise, from 0 to 2^31 - 1")
            following = self.whole("next_move", state, np.int64(before))
            if following != move:
                self.refuse("next_move", f"next_move gives {following} after {before}, nth_move gives {move}")
            after = self.whole("move_after", state, np.int64(before), np.int64(k))
            if after != move:
                self.refuse("move_after", f"move_after gives {after} as number {k}, nth_move gives {move}")
            before, moves = move, [*moves, move]
        if count <= MAX_LISTED and self.whole("next_move", state, np.int64(before)) != NO_MOVE:
            self.refuse("next_move", f"next_move goes on after the last move, {before}")
        if 0 < count <= MAX_LISTED and (drawn := self.drawn(state)) not in moves:
            self.refuse("random_move", f"random_move gives {drawn}, which is not legal there: {moves}")
        further_verbs.check_list(self, state, count, moves)
        if 0 < count <= MAX_LISTED:
            further_verbs.check_draws(self, state, moves)
            further_verbs.check_knowledge(self, state, moves)
        self.check_move_texts(state, moves)

    def check_move_texts(self, state: Any, moves: list[int]) -> None:
        """One text at least; where moves have names, all, and each as it was before."""
        named = getattr(self.game, "NAMED_MOVES", False)
        for move in moves if named else moves[-1:]:
            text = self.text("move_text", state, move)
            if named and self.names.setdefault(move, text) != text:
                kind = title(type(self.game))
                self.refuse(
                    "move_text",
                    f"move_text gives {text!r} for move {move}, and {self.names[move]!r} in an earlier position: "
                    f"no {kind}.NAMED_MOVES = True",
                )

    def check_worth(self, state: Any) -> None:
        value, limit = self.whole("evaluation", state), self.whole("evaluation_limit")
        if not 1 <= limit <= further_verbs.MAX_LIMIT:
            self.refuse("evaluation_limit", f"evaluation_limit returns {limit}: 1 to 2^40 - 1")
        if abs(value) > limit:
            self.refuse("evaluation", f"evaluation returns {value}, beyond evaluation_limit, {limit}")
        if not 0.0 <= float(self.ask("remaining_plies", state)) < 1e9:
            self.refuse("remaining_plies", "remaining_plies returns a number that is negative or not finite")

    def check_end(self, state: Any) -> None:
        """Look at the end, and at what playing on does to it."""
        result = self.whole("score", state)
        if abs(result) > SCORE_UNIT:
            self.refuse("score", f"score returns {result}, outside [-SCORE_UNIT, SCORE_UNIT]")
        if abs(result) == 1:  # a millionth of a win, which no game means
            self.refuse("score", f"score returns {result}: a whole win is SCORE_UNIT, {SCORE_UNIT}")
        self.check_texts(state)
        self.check_over(state)
        for _ in range(PAST_THE_END if self.game.LANES else 1):
            state = self.step(state)
            if self.whole("count_moves", state) != 0:
                self.refuse(
                    "play",
                    f"playing on from a finished game revives it: {AS_IT_IS}",
                )
            if self.whole("score", state) != result:
                self.refuse(
                    "play",
                    f"playing on from a finished game changes its score: {AS_IT_IS}",
                )

    def check_over(self, state: Any) -> None:
        """Look whether ``over`` answers soon after the end: a playout that it never stops would go on for ever.

        ``overrun`` must tell how late it is.
        """
        for past in range(LATE + 1):
            if bool(self.ask("over", state)):
                if (said := self.whole("overrun", state)) != past:
                    self.refuse("overrun", f"overrun returns {said}, where over answers {past} plies past the end")
                return
            state = self.step(state)
        self.refuse(
            "over", f"over answers no where count_moves returns 0, and {LATE} plies later: no playout would end"
        )

    def check_texts(self, state: Any) -> None:
        self.ask("lead", state)
        for each in (self.first, state):
            text = self.text("position_text", each)
            again = self.ask("parse_position", text)
            self.check_state("parse_position", again)
            if again != each:
                self.refuse("parse_position", f"parse_position gives another state than position_text wrote: {text!r}")
            self.text("board_text", each)


def written(state: Any) -> str:
    """A state with the types of its words: ``State(uint64, int64, uint64)``, ``State(uint64 x 3)``."""
    kind = type(state)
    if not hasattr(kind, "_fields"):
        return "nothing" if state is None else title(kind)
    words = [NAMES.get(type(word).__name__, type(word).__name__) for word in state]
    same = len(set(words)) == 1 and len(words) > 1
    return f"{title(kind)}({f'{words[0]} x {len(words)}' if same else ', '.join(words)})"
