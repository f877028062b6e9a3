"""Our engine: the commands of UCI over any game for two without chance whose moves are words."""

import contextlib
import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any

import numpy as np

import gpumcts
from gpumcts.errors import BadInput
from gpumcts.games.contract import score
from gpumcts.options import name_of
from gpumcts.programs.clock import LAG, Limits
from gpumcts.programs.lines import MAX_LINE, Lines, Sink, Source
from gpumcts.programs.process import readable
from gpumcts.rng import key_of
from gpumcts.tree.checks import min_iterations
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.search import Searcher
from gpumcts.uci.info import InfoWriter, line
from gpumcts.uci.options import CHESS, VARIANT
from gpumcts.uci.position import UciPosition, start_of
from gpumcts.uci.requests import MAX_DIGITS, Game, Go, Request, game_of, go_of, parse, setting_of

POLL_SECONDS = 0.05  # at the input, while the search is being made
MAX_REQUESTS = 10_000  # that wait meanwhile
NO_MOVE_TEXT = "(none)"
TOO_LONG = "<too long>"
"""All that ``position`` says where its line has more than MAX_LINE bytes."""
MEANWHILE = ("isready", "uci", "debug", "stop", "ponderhit")
"""Requests that do not wait for the end of a search."""
OPTIONS = {"move overhead": ("Move Overhead", round(1000 * LAG), 0, 5000), "multipv": ("MultiPV", 1, 1, 20)}
"""By name in lower case: name, default, least and most. Move Overhead is in milliseconds."""
PONDER = "Ponder"
"""The option that a GUI looks for before it lets an engine think in the other side's time."""


class Inbox:
    """Requests of a source; what has come can be looked through before it is taken."""

    def __init__(self, source: Source) -> None:
        self._lines = Lines(source)
        self._requests: deque[Request] = deque()
        self.ended = False  # no line comes any more

    def next(self) -> Request | None:
        """The next request, waited for; None at the end."""
        while not self._requests and not self.ended:
            self._read()
        return self._requests.popleft() if self._requests else None

    def wait(self) -> None:
        """Until another line has come, or the end."""
        if not self.ended:
            self._read()

    def first(self) -> Request | None:
        """The next request, if it has come; it stays."""
        self._read_all()
        return self._requests[0] if self._requests else None

    def quits(self) -> bool:
        """Whether ``quit`` has come."""
        self._read_all()
        return any(request.name == "quit" for request in self._requests)

    def takes(self, name: str) -> bool:
        """Take the first request of this name that has come before another ``go``; whether there was one."""
        self._read_all()
        for place, request in enumerate(self._requests):
            if request.name == name:
                del self._requests[place]
                return True
            if request.name == "go":
                break
        return False

    def _read_all(self) -> None:
        while not self.ended and self._lines.waiting() and len(self._requests) < MAX_REQUESTS:
            self._read()

    def _read(self) -> None:
        content = self._lines.next()
        if content is None:
            self.ended = True
        elif (request := parse(content[:MAX_LINE])) is not None:
            if len(content) <= MAX_LINE:
                self._requests.append(request)
            elif request.name == "position":  # were it passed over, the next search would be of an old position
                self._requests.append(Request("position", [TOO_LONG]))


class UciEngine:
    """An engine for one game, between a source of requests and a sink.

    game : option value, compiled
    make : its search, made and compiled in a thread of its own, since that may take a minute, while requests that need
        none are answered
    limits : of a move, where ``go`` names none; a clock lowers them
    say : told, in one line, what does not belong to the protocol
    """

    def __init__(
        self,
        game: Any,
        make: Callable[[], Searcher],
        limits: Limits,
        seed: int = 1,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._game, self._limits, self._seed, self._say = game, limits, seed, say
        self._position: UciPosition | None = UciPosition(game)  # None where the last one was refused
        self._told = Game("", [])
        self._number = 0  # of the game
        self._options = {name: option[1] for name, option in OPTIONS.items()}
        self._tells_reply = False  # the move of the other side to ponder on
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._introduce,
            "isready": self._ready,
            "setoption": self._set_option,
            "ucinewgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            # No search is on where they come here.
            **dict.fromkeys(("stop", "ponderhit", "debug"), lambda _: None),
        }
        self._maker, self._make = ThreadPoolExecutor(1, "uci-search"), make
        self._made: Future[Searcher] | None = None

    def serve(self, source: Source, sink: Sink) -> None:
        """Answer requests until ``quit``, end of input, or nobody listens. Nothing it can be sent makes it raise."""
        self._inbox, self._sink = Inbox(source), sink
        with contextlib.suppress(BrokenPipeError):
            while (request := self._inbox.next()) is not None and request.name != "quit":
                self._handle(request)
                self._begin_search()  # once ``uci`` has been answered: compiling would take the time for it

    @property
    def compiling(self) -> bool:
        """Whether the search is being made."""
        return self._made is not None and not self._made.done()

    def close(self) -> None:
        """Wait for the search to be made, if it is being made."""
        self._maker.shutdown(cancel_futures=True)

    # ------------------------------------------------------------------------------------------------- requests

    def _handle(self, request: Request) -> None:
        self._guarded(request.name, lambda: self._commands[request.name](request.arguments))
        self._sink.flush()

    def _guarded(self, name: str, work: Callable[[], Any]) -> Any:
        """What ``work`` gives; None where it fails, which is told."""
        try:
            return work()
        except BadInput as error:
            self._tell(f"info string {error}")
        except BrokenPipeError:
            raise
        except Exception as error:  # a fault of ours: the game goes on, and stderr tells
            self._say(f"{name}: {type(error).__name__}: {error}")
            self._tell("info string internal error")

    def _tell(self, text: str) -> None:
        self._sink.write(line(text))

    def _introduce(self, arguments: list[str]) -> None:
        self._tell(f"id name gpumcts {gpumcts.__version__}")
        self._tell("id author the gpumcts authors")
        for name, default, least, most in OPTIONS.values():
            self._tell(f"option name {name} type spin default {default} min {least} max {most}")
        self._tell(f"option name {PONDER} type check default false")
        if (game := name_of(self._game)) != CHESS:
            self._tell(f"option name {VARIANT} type combo default {game} var {game}")
        self._tell("uciok")

    def _ready(self, arguments: list[str]) -> None:
        """Whoever asks waits for the answer, so it comes too where the search cannot be made, which is told."""
        self._guarded("isready", self._searcher)
        if self._begin_search().done():
            self._tell("readyok")

    def _set_option(self, arguments: list[str]) -> None:
        name, text = setting_of(arguments)
        if name.lower() == VARIANT.lower() and text == name_of(self._game):
            return
        if name.lower() == PONDER.lower():
            if text not in ("true", "false"):
                raise BadInput(f"option {PONDER} takes true or false")
            self._tells_reply = text == "true"
            return
        option = OPTIONS.get(name.lower())
        if option is None:
            raise BadInput(f"there is no option {name!r}")
        name, _, least, most = option
        if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
            raise BadInput(f"option {name} takes an integer in [{least}, {most}]")
        self._options[name.lower()] = int(text)

    def _new_game(self, arguments: list[str]) -> None:
        made = self._made
        if made is not None and made.done() and made.exception() is None:
            made.result().forget(np.array([self._number]))  # what ``search.reuse`` keeps of it
        self._number += 1
        self._position, self._told = UciPosition(self._game, self._number), Game("", [])

    def _set_position(self, arguments: list[str]) -> None:
        """A game that goes on is followed from where it was; any other is played anew."""
        position, told = self._position, self._told
        self._position = None
        if arguments == [TOO_LONG]:
            raise BadInput(f"position: a line has at most {MAX_LINE:,} bytes")
        game = game_of(arguments)
        known = len(told.moves)
        if position is None or game.start != told.start or game.moves[:known] != told.moves:
            position, known = self._begin(game.start), 0
        for ply in range(known, len(game.moves)):
            try:
                position.push(position.parse(game.moves[ply]))
            except BadInput as error:
                raise BadInput(f"position: move number {ply + 1}: {error}") from None
        self._position, self._told = position, game

    def _begin(self, text: str) -> UciPosition:
        with np.errstate(over="ignore"):
            return UciPosition(self._game, self._number, start_of(self._game, text) if text else None)

    # --------------------------------------------------------------------------------------------------- search

    def _go(self, arguments: list[str]) -> None:
        """Search, reporting on the way, and answer with one move, whatever happens."""
        best = self._guarded("go", lambda: self._best(go_of(arguments)))
        best = best or self._guarded("go", lambda: self._unsearched(go_of(arguments)))
        self._tell(f"bestmove {best or NO_MOVE_TEXT}")

    def _unsearched(self, go: Go) -> str:
        """A legal move where no search found one, which is told: a GUI counts ``(none)`` as a game lost."""
        position = self._position
        if position is None or position.over:
            return ""
        legal = [position.text(move) for move in position.legal]
        best = next((text for text in go.searchmoves if text in legal), legal[0])
        self._tell_unsearched(best)
        return best

    def _tell_unsearched(self, move: str) -> None:
        self._tell(f"info string {move} is a legal move that no search has chosen")

    def _best(self, go: Go) -> str:
        """The text of the move that a search finds; ``(none)`` in a game that is over, empty where none was made."""
        if go.idle:
            self._tell(
                f"info string {' and '.join(go.idle)}: not for a search by playouts, whose limits are nodes and time"
            )
        if go.unread:
            said = ", ".join(readable(words) for words in go.unread)
            least = f"must be a number of at least 0, of {MAX_DIGITS} digits at most; it counts as not said"
            self._tell(f"info string {said}: {least}")
        position = self._position
        if position is None:
            raise BadInput("go: the last position was refused")
        if position.over:
            self._tell_the_end(position)
            self._wait_for_stop(go)
            return NO_MOVE_TEXT
        only = position.only_move
        if only is not None and not go.endless and go.nodes is None and go.movetime is None:
            return position.text(only)
        searcher = self._searcher()
        return "" if searcher is None else self._search(searcher, position, go)

    def _search(self, searcher: Searcher, position: UciPosition, go: Go) -> str:
        begin = time.monotonic()  # before the tree is planted, which may begin with a large one that was kept
        named = self._named(position, go)
        key = key_of(self._seed, position.number, len(position.moves))
        search = IncrementalSearch(searcher, position.words(), key, position.number)
        writer = InfoWriter(position, self._options["multipv"], self._sink, named, begin)
        while not self._think(search, self._limits_of(searcher, position, go).less(begin), writer, go):
            go, begin = go._replace(ponder=False), time.monotonic()  # it was the right move: from now on time counts
        search.keep()
        found = search.found()
        writer.write(found)
        best = found.decide_among(named) if named else int(found.decide()[0])
        move = named[0] if best is None else best
        if best is None:
            self._tell_unsearched(position.text(move))
        following = position.line(found.principal_variation(0, move))[1:2] if self._tells_reply else []
        return " ponder ".join([position.text(move), *following])

    def _think(self, search: IncrementalSearch, limits: Limits, writer: InfoWriter, go: Go) -> bool:
        """Search within limits; False where ``ponderhit`` came first."""
        for _ in search.slices(*limits):
            if go.ponder and self._inbox.takes("ponderhit"):
                return False
            if self._stopped(go):
                return True
            writer.report_if_due(search)
        if search.stopped_by:
            self._tell(f"info string the search ends after {search.iterations:,} iterations: {search.stopped_by}")
        self._wait_for_stop(go)
        return True

    def _named(self, position: UciPosition, go: Go) -> list[int]:
        """The legal moves of ``searchmoves``, one of which is to be played; none where it names none."""
        named = []
        for text in go.searchmoves:
            with contextlib.suppress(BadInput):
                named.append(position.parse(text))
        if go.searchmoves:
            what = "all moves are searched, the best of those named is played" if named else "none of them is legal"
            self._tell(f"info string searchmoves: {what}")
        return named

    def _limits_of(self, searcher: Searcher, position: UciPosition, go: Go) -> Limits:
        """What ``go`` says of iterations and time is done; a clock, or nothing, leaves it to the engine's limits.

        A clock that comes with ``nodes`` counts as well: match programs send both, and who runs out of time has lost.
        """
        lag = self._options["move overhead"] / 1000
        if go.endless:
            return Limits(None, None)
        own, seconds = self._limits, go.seconds(lag)
        nodes = None if go.nodes is None else max(go.nodes, min_iterations(searcher.settings))
        if seconds is not None:
            return Limits(nodes, seconds)
        by_clock = go.clock(position.mover, position.moves_left(), lag)
        if nodes is None:
            nodes, by_clock = own.iterations, min(own.seconds or math.inf, by_clock)
        return Limits(nodes, None if by_clock == math.inf else by_clock)

    def _begin_search(self) -> Future[Searcher]:
        """The search that is being made, or has been."""
        if self._made is None:
            self._made = self._maker.submit(self._make)
        return self._made

    def _searcher(self) -> Searcher | None:
        """The search, once it is made; None where ``quit`` comes first. Raises BadInput where it cannot be made."""
        made = self._begin_search()
        while not made.done() and not self._inbox.quits():
            with contextlib.suppress(NotYet):
                made.result(POLL_SECONDS)
        return made.result() if made.done() else None

    def _stopped(self, go: Go) -> bool:
        """Whether what has come ends the search. Other requests wait for its end; they end one that has no end."""
        if self._inbox.takes("stop"):
            return True
        while (request := self._inbox.first()) is not None:
            if go.ponder and request.name == "ponderhit":
                return False
            if request.name not in MEANWHILE:
                return go.endless or self._inbox.quits()
            self._inbox.next()
            self._handle(request)
        return self._inbox.ended and go.endless

    def _wait_for_stop(self, go: Go) -> None:
        """An endless search says nothing before it is told to stop, even where it has nothing more to do."""
        while go.endless and not self._stopped(go):
            if go.ponder and self._inbox.takes("ponderhit"):
                go = go._replace(ponder=False)  # which may be infinite as well
            else:
                self._inbox.wait()

    def _tell_the_end(self, position: UciPosition) -> None:
        with np.errstate(over="ignore"):
            result = int(score(self._game, position.state)) * (1 - 2 * position.mover)
        self._tell(f"info depth 0 score {'mate 0' if result < 0 else 'cp 0'}")
