"""Our engine: the commands of GTP 2 over any game for two without chance, with analysis for GUIs."""

import math
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import gpumcts
from gpumcts.errors import BadInput
from gpumcts.games.contract import Record, gtp_setup, handicap_points, record_format
from gpumcts.gtp import analysis, handicap
from gpumcts.gtp.arguments import SYNTAX, Refusal, number
from gpumcts.gtp.clock import Clock
from gpumcts.gtp.position import GtpPosition, player_of
from gpumcts.gtp.records import is_pipe, read_record
from gpumcts.gtp.stream import Request, answer
from gpumcts.programs.clock import Limits
from gpumcts.programs.lines import Lines, Sink
from gpumcts.rng import key_of
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.search import Searcher
from gpumcts.tree.search_result import TreeSearchResult

POLL_SECONDS = 0.02  # at the input, while an analysis has nothing more to do
SIZE_KEYS = ("size", "base")  # of a game's configuration, which boardsize sets


class Choice(NamedTuple):
    """A move that was found: as text and number, its win rate in [0, 1] (None of an only one), and seconds it took."""

    text: str
    move: int
    rate: float | None
    seconds: float


class GtpEngine:
    """An engine for one game, to be driven by ``handle``, request by request.

    game : option value, compiled
    make : the search of a game, made and compiled in a thread of its own, since that may take a minute, while commands
        that need none are answered
    terms : what the game is configured by, such as size and komi
    with_terms : the game with other ones, BadInput where it takes none such
    resign : ``genmove`` resigns where the win rate of its move is below that, in (0, 1); None never does
    say : told, in one line, what does not belong to the protocol
    """

    def __init__(
        self,
        game: Any,
        make: Callable[[Any], Searcher],
        limits: Limits,
        seed: int = 1,
        terms: Mapping[str, Any] | None = None,
        with_terms: Callable[[Mapping[str, Any]], Any] | None = None,
        say: Callable[[str], None] = lambda line: None,
        resign: float | None = None,
    ) -> None:
        self.position, self.clock = GtpPosition(game), Clock()
        self._make, self._limits, self._seed, self._say = make, limits, seed, say
        self._terms, self._with_terms, self._resign = dict(terms or {}), with_terms, resign
        self._maker = ThreadPoolExecutor(1, "gtp-search")
        self._searcher = self._begin_search()
        self._search: tuple[tuple, IncrementalSearch] | None = None  # the last search, and the position it is of
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: "gpumcts",
            "version": lambda _: gpumcts.__version__,
            "known_command": self._known_command,
            "list_commands": lambda _: "\n".join(self.names),
            "quit": lambda _: "",
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._set_komi,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "final_score": lambda _: self.position.result(),
            "showboard": lambda _: "\n" + self.position.board(),
            "gogui-analyze_commands": lambda _: analysis.GOGUI,
            "gpumcts-winrates": lambda _: analysis.winrates(self.position, self._last_search()),
            "gpumcts-pv": lambda _: analysis.variation(self.position, self._last_search()),
        }
        if record_format(game) == "sgf":
            self._commands["loadsgf"] = self._load
        if handicap_points(game, 2):
            for name in handicap.COMMANDS:
                self._commands[name] = partial(self._set_handicap, name)
            self._commands["final_status_list"] = lambda words: handicap.status_list(self.position, words)
        self._streams: dict[str, Callable[[Request, Lines, Sink], None]] = {
            **dict.fromkeys(("lz-analyze", "analyze", "kata-analyze"), self._analyze),
            **dict.fromkeys(("lz-genmove_analyze", "genmove_analyze", "kata-genmove_analyze"), self._genmove_analyze),
        }

    @property
    def names(self) -> list[str]:
        """All commands."""
        return [*self._commands, *self._streams]

    def handle(self, request: Request, lines: Lines, sink: Sink) -> bool:
        """Answer one command; False where it was ``quit``. Nothing it can be sent makes it raise."""
        try:
            if request.name in self._streams:
                self._streams[request.name](request, lines, sink)
                return True
            command = self._commands.get(request.name)
            if command is None:
                raise Refusal("unknown command")
            sink.write(answer("=", request, command(request.arguments)))
        except (Refusal, BadInput) as error:
            sink.write(answer("?", request, str(error)))
        except BrokenPipeError:
            raise
        except Exception as error:  # a fault of ours: the game goes on, and stderr tells
            self._say(f"{request.name}: {type(error).__name__}: {error}")
            sink.write(answer("?", request, "internal error"))
        return request.name != "quit"

    @property
    def compiling(self) -> bool:
        """Whether the search is being made."""
        return not self._searcher.done()

    def close(self) -> None:
        """Wait for the search to be made, if it is being made."""
        self._maker.shutdown(cancel_futures=True)

    # --------------------------------------------------------------------------------------------- about itself

    def _known_command(self, arguments: list[str]) -> str:
        return "true" if arguments[:1] and arguments[0] in self.names else "false"

    # ------------------------------------------------------------------------------------------------ the board

    def _boardsize(self, arguments: list[str]) -> str:
        try:
            sides = [int(word) for word in arguments]
        except ValueError:
            raise Refusal("boardsize not an integer") from None
        if not sides:
            raise Refusal(SYNTAX)
        wanted = f"boardsize {' '.join(map(str, sides))}"
        if wanted not in gtp_setup(self.position.game):
            self._resize(sides, wanted)
        return self._clear_board([])

    def _resize(self, sides: list[int], wanted: str) -> None:
        """Another board, where the game has a size that can be named by one number."""
        key = next((key for key in SIZE_KEYS if key in self._terms), None)
        if key is None or len(sides) != 1:
            raise Refusal("unacceptable size")
        try:
            game, terms = self._changed({key: sides[0]})
        except BadInput as error:
            self._say(f"{wanted}: {error}")
            raise Refusal("unacceptable size") from None
        if wanted not in gtp_setup(game):
            raise Refusal("unacceptable size")
        self._go_over_to(GtpPosition(game, self.position.number), terms)

    def _changed(self, terms: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The game with some terms changed, and all its terms."""
        assert self._with_terms is not None
        changed = {**self._terms, **terms}
        return self._with_terms(changed), changed

    def _go_over_to(self, position: GtpPosition, terms: dict[str, Any]) -> None:
        """Go on with a position of another game; its search is made meanwhile."""
        other = repr(position.game) != repr(self.position.game)
        self.position, self._terms, self._search = position, terms, None
        if other:
            self._searcher.cancel()
            self._searcher = self._begin_search()

    def _clear_board(self, arguments: list[str]) -> str:
        self._forget()
        self.clock.restart()
        self.position = GtpPosition(self.position.game, self.position.number + 1)
        self._search = None
        return ""

    def _forget(self) -> None:
        """Let go of what ``search.reuse`` keeps of the game."""
        made = self._searcher
        if made.done() and not made.cancelled() and made.exception() is None:
            made.result().forget(np.array([self.position.number]))

    def _set_komi(self, arguments: list[str]) -> str:
        komi = number(arguments, 0)
        if self._terms.get("komi") is None or self._with_terms is None:
            self._say(f"komi {komi:g}: this game has none")
        elif komi != self._terms["komi"]:
            game, terms = self._changed({"komi": komi})
            self._go_over_to(self.position.of(game), terms)
        return ""

    def _load(self, arguments: list[str]) -> str:
        """The game in a file, up to the move of a number (from 1), which is not played; the board is the file's."""
        if not 1 <= len(arguments) <= 2:
            raise Refusal(SYNTAX)
        stop = number(arguments, 1) if len(arguments) == 2 else None
        if stop is not None and (stop != int(stop) or stop < 1):
            raise Refusal(SYNTAX)
        if is_pipe(arguments[0]):
            raise Refusal(f"cannot load file: {arguments[0]} is a pipe, whose end may never come")
        try:
            record = self._record(arguments[0], None if stop is None else int(stop) - 1)
            game, terms = self._changed(record.terms) if self._with_terms else (record.game, self._terms)
        except BadInput as error:
            raise Refusal(f"cannot load file: {error}") from None
        self._forget()
        self.clock.restart()
        position = GtpPosition.of_record(record._replace(game=game), self.position.number + 1)
        self._go_over_to(position, terms)
        return ""

    def _record(self, file: str, plies: int | None) -> Record:
        """The game in a file up to so many moves, or as many as it has."""
        try:
            return read_record(self.position.game, file, plies)
        except BadInput:
            if plies is None:
                raise
        return read_record(self.position.game, file, None)

    def _play(self, arguments: list[str]) -> str:
        if len(arguments) != 2:
            raise Refusal(SYNTAX)
        player = self._player(arguments)
        try:
            self.position.play(player, arguments[1])
        except BadInput as error:
            self._say(f"play {' '.join(arguments)}: {error}")
            raise Refusal("illegal move") from None
        return ""

    def _set_handicap(self, command: str, arguments: list[str]) -> str:
        names = handicap.points_of(command, self.position.game, arguments)
        try:
            position = handicap.with_handicap(self.position, names)
        except BadInput as error:
            self._say(f"{command}: {error}")
            raise Refusal("bad vertex list") from None
        self._forget()
        self._go_over_to(position, self._terms)
        return "" if command == handicap.GIVEN else " ".join(names)

    def _undo(self, arguments: list[str]) -> str:
        self.position.undo()
        return ""

    # ------------------------------------------------------------------------------------------------- the time

    def _time_settings(self, arguments: list[str]) -> str:
        main, period, stones = (number(arguments, place) for place in range(3))
        if min(main, period, stones) < 0:
            raise Refusal(SYNTAX)
        self.clock.set(main, period, int(stones))
        return ""

    def _time_left(self, arguments: list[str]) -> str:
        player, left, stones = self._player(arguments), number(arguments, 1), number(arguments, 2)
        self.clock.tell(player, max(left, 0.0), max(int(stones), 0))
        return ""

    # ----------------------------------------------------------------------------------------------- the search

    def _genmove(self, arguments: list[str]) -> str:
        return self._move(self._player(arguments), lambda search: None)

    def _move(self, player: int, report: Callable[[IncrementalSearch], None]) -> str:
        """Find a move for ``player`` and play it, or resign."""
        before = len(self.position.moves)
        text, move, rate, seconds = self._choose(player, report)
        self.clock.used(player, seconds)
        if self._resign is not None and rate is not None and rate < self._resign:
            self._say(f"ply {before}: resigns, {100 * rate:.1f} %")
            return "resign"
        self.position.play(player, move)
        self._say(f"ply {before}: {text}, {seconds:.2f} s")
        return text

    def _reg_genmove(self, arguments: list[str]) -> str:
        return self._choose(self._player(arguments), lambda search: None).text

    def _choose(self, player: int, report: Callable[[IncrementalSearch], None]) -> Choice:
        """The move that the search finds for ``player``; the position stays as it is.

        Time counts from when the search is there: waiting until it is compiled does not count.
        """
        position = self._for(player)
        only = position.only_move
        if only is not None:
            return Choice(position.text(only), only, None, 0.0)
        searcher, begin = self._searcher.result(), time.monotonic()
        allowed = min(self._limits.seconds or math.inf, self.clock.seconds(player, position.moves_left()))
        search = self._new_search(searcher, position)
        limits = Limits(self._limits.iterations, None if allowed == math.inf else allowed)
        for _ in search.slices(*limits.less(begin)):
            report(search)
        self._tell_if_stopped(search)
        search.keep()
        found = search.found()
        move = int(found.decide()[0])
        values, proofs = found.worth(np.array([move]))
        rate = analysis.rate_of(float(values[0]), int(proofs[0]))
        return Choice(position.text(move), move, rate, time.monotonic() - begin)

    def _tell_if_stopped(self, search: IncrementalSearch) -> None:
        if search.stopped_by:
            self._say(f"the search ends after {search.iterations:,} iterations: {search.stopped_by}")

    def _for(self, player: int) -> GtpPosition:
        """The position in which ``player`` moves: the current one, or the one after a pass that GTP leaves out."""
        if not self.position.over and self.position.mover == player:
            return self.position
        position = self.position.of(self.position.game)
        position.turn_to(player)
        return position

    def _player(self, arguments: list[str]) -> int:
        """The player whose colour stands first."""
        player = player_of(self.position.game, arguments[0]) if arguments else None
        if player is None:
            raise Refusal(SYNTAX)
        return player

    def _new_search(self, searcher: Searcher, position: GtpPosition) -> IncrementalSearch:
        key = key_of(self._seed, position.number, len(position.moves))
        search = IncrementalSearch(searcher, position.words(), key, position.number)
        self._search = (_of(position), search)
        return search

    def _begin_search(self) -> Future[Searcher]:
        game = self.position.game
        return self._maker.submit(self._make, game)

    # ------------------------------------------------------------------------------------------------- analysis

    def _last_search(self) -> TreeSearchResult:
        if self._search is None or self._search[0] != _of(self.position):
            raise Refusal("this position has not been searched; reg_genmove or lz-analyze does")
        return self._search[1].found()

    def _analyze(self, request: Request, lines: Lines, sink: Sink) -> None:
        """Search on and report what is found, until another line comes."""
        options = self._analysis_options(request)
        position = self._for(options.player)
        searcher = self._searcher.result()
        if self._search is None or self._search[0] != _of(position):
            self._new_search(searcher, position)
        assert self._search is not None
        search = self._search[1]
        sink.write(f"={request.id}\n".encode())
        writer = analysis.AnalysisWriter(position, options, sink)
        for _ in search.slices(None, None):
            writer.report_if_due(search)
            if lines.waiting():
                break
        self._tell_if_stopped(search)
        writer.report_if_due(search, always=True)
        while not lines.waiting():
            time.sleep(POLL_SECONDS)
        sink.write(b"\n")

    def _analysis_options(self, request: Request) -> analysis.AnalysisOptions:
        for word in ("avoid", "allow"):
            if word in request.arguments:
                self._say(f"{request.name}: {word} is passed over, all moves are searched")
        at = self.position
        return analysis.options_of(request.arguments, at.game, at.mover, request.name.startswith("kata-"))

    def _genmove_analyze(self, request: Request, lines: Lines, sink: Sink) -> None:
        """A move as ``genmove`` finds it, reporting on the way."""
        options = self._analysis_options(request)
        writer = analysis.AnalysisWriter(self._for(options.player), options, sink)
        sink.write(f"={request.id}\n".encode())
        try:
            text = self._move(options.player, writer.report_if_due)
        except BadInput as error:  # no memory: the answer has begun, and cannot become a refusal
            self._say(str(error))
            text = "resign"
        sink.write(f"play {text}\n\n".encode())


def _of(position: GtpPosition) -> tuple:
    return position.number, position.played
