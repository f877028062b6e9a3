"""The folder of a match: its identity, every move played, every game finished, and a lock. Kill-proof.

``identity.json``  what decides the results; a run with another identity is refused
``moves.jsonl``    the journal. One line a commit: moves of several games, on disk (fsync) before those games go on
``games.jsonl``    one line a finished game, for people and programs; it follows from the journal, written before it,
                   and what a crash of the machine keeps from it is made up for by the next run: it is put on disk once
                   a second
``lock``           held while a process plays here

A process that dies while it writes leaves a last line without its newline; that line never happened and is cut off.
Anything else that is not as it was written is refused, with file and line: nothing is mended silently. Each line of the
journal has a check sum over itself and all before it, from the identity on.
"""

import json
import os
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from gpumcts.compiling.own_sources import changed
from gpumcts.errors import BadInput
from gpumcts.match.lock import held, message_of
from gpumcts.whole_files import sync_folder, write_whole

FORMAT = 1
IDENTITY, MOVES, GAMES = "identity.json", "moves.jsonl", "games.jsonl"
COLUMNS = ("games", "plies", "moves")
WIN_RATES = "views"  # a column more, where the player reports win rates; the key of all journals
REASONS = "reasons"  # a column more, where a game is given up
SECONDS_A_SYNC = 1.0  # of the file of finished games


class Commit(NamedTuple):
    """Moves that were written at once.

    line : of the journal, from 1
    games : int64[K], all different; plies : int64[K], of those games, from 0; moves : int64[K]
    reported : int64[K], win rates that the player reported (``players.contract.WinRateReporter``), or None
    reasons : why games were given up (``players.contract.ExternalPlayer``), empty text for the others, or None
    """

    line: int
    games: np.ndarray
    plies: np.ndarray
    moves: np.ndarray
    reported: np.ndarray | None = None
    reasons: list[str] | None = None


class Journal:
    """The folder of one match, opened for this process alone; a context manager.

    Raises BadInput where the folder cannot be written or is in use, where its identity differs (naming the first key
    that does, with both values), or where a file in it is damaged.
    """

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        self.folder = Path(folder)
        self._identity = json.loads(json.dumps({"format": FORMAT, **identity}))  # as it will be read back
        self._hold = ExitStack()
        self._files: dict[str, BinaryIO] = {}
        self._check_sum: int | None = None  # of the last line of the journal, once it is known
        self._synced = time.monotonic()  # when the finished games were last put on disk
        self._unsynced = False  # whether games have finished since
        self._torn: set[str] = set()  # files a write to which failed, maybe in the midst of a line

    def __enter__(self) -> "Journal":
        self._hold.enter_context(held(self.folder))
        try:
            self._claim()
            for name in (MOVES, GAMES):
                self._open(name)
            sync_folder(self.folder)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._unsynced:
                self._sync(GAMES)
        finally:
            for file in self._files.values():
                file.close()
            self._files.clear()
            self._hold.close()

    # ---------------------------------------------------------------------------------------------- what is there

    def commits(self) -> Iterator[Commit]:
        """Every commit of the journal in order of writing; raises BadInput, naming file and line, at a damaged one.

        To be read to its end before anything is added.
        """
        check_sum = zlib.crc32(json.dumps(self._identity, sort_keys=True).encode())
        for line, text in self._lines(MOVES):
            body = self._parse(line, text)
            expected, check_sum = _commit_line(body, check_sum)
            if text != expected:
                raise self.damaged(MOVES, line, "not the moves that were written here, by their check sum")
            reasons, rates = body.pop(REASONS, None), body.pop(WIN_RATES, None)
            columns = {name: np.array(column, np.int64) for name, column in body.items()}
            reported = None if rates is None else np.array(rates, np.int64)
            yield Commit(line, **columns, reported=reported, reasons=reasons)
        self._check_sum = check_sum

    def games(self) -> Iterator[tuple[int, str]]:
        """The lines of finished games as (line number from 1, text without newline), in order of writing."""
        return self._lines(GAMES)

    def damaged(self, name: str, line: int, why: str) -> BadInput:
        """The error for a line that is not as it was written."""
        place = f"{self.folder / name}, line {line}"
        return BadInput(f"{place}: {why}; the record is damaged or of other rules, start in another folder")

    def _parse(self, line: int, text: str) -> dict[str, Any]:
        try:
            record = json.loads(text)
            return {
                name: record[name] for name in (*COLUMNS, *(name for name in (WIN_RATES, REASONS) if name in record))
            }
        except (ValueError, KeyError, TypeError):
            raise self.damaged(MOVES, line, "not a line of moves") from None

    def _lines(self, name: str) -> Iterator[tuple[int, str]]:
        path, line = self.folder / name, 0
        try:
            with path.open("rb") as file:
                for line, text in enumerate(file, 1):
                    yield line, text.decode("ascii").removesuffix("\n")
        except UnicodeDecodeError:
            raise self.damaged(name, line, "not text") from None
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {message_of(error)}") from error

    # ----------------------------------------------------------------------------------------------- what is added

    def add_moves(
        self,
        games: np.ndarray,
        plies: np.ndarray,
        moves: np.ndarray,
        reported: np.ndarray | None = None,
        reasons: list[str] | None = None,
    ) -> None:
        """Write one ``Commit``, which ``sync_moves`` puts on disk; raises BadInput where it cannot be written."""
        if self._check_sum is None:
            raise RuntimeError("commits() has not been read to its end")
        columns = {
            **dict(zip(COLUMNS, (games, plies, moves), strict=True)),
            **({} if reported is None else {WIN_RATES: reported}),
        }
        body: dict[str, Any] = {name: column.tolist() for name, column in columns.items()}
        if reasons is not None:
            body[REASONS] = reasons
        line, self._check_sum = _commit_line(body, self._check_sum)
        self._write(MOVES, line + "\n")

    def sync_moves(self) -> None:
        """Wait until all commits are on disk; raises BadInput where they cannot be."""
        self._sync(MOVES)

    def add_games(self, lines: Iterable[str]) -> None:
        """Write the lines of finished games (without newlines); raises BadInput where they cannot be written."""
        text = "".join(f"{line}\n" for line in lines)
        if text:
            self._write(GAMES, text)
            self._unsynced = True
        if self._unsynced and time.monotonic() - self._synced > SECONDS_A_SYNC:
            self._sync(GAMES)
            self._synced, self._unsynced = time.monotonic(), False

    def _write(self, name: str, text: str) -> None:
        if name in self._torn:  # the line of another worker would join the torn one, and no run could go on here
            raise BadInput(f"{self.folder / name} cannot be written: it ends in a line that was cut short")
        file = self._files[name]
        rest = memoryview(text.encode("ascii"))
        try:
            while rest:  # an unbuffered write may take a part only, as when the disk fills
                rest = rest[file.write(rest) :]
        except OSError as error:
            self._torn.add(name)
            raise BadInput(f"{self.folder / name} cannot be written: {message_of(error)}") from error

    def _sync(self, name: str) -> None:
        """Wait until what was written is on disk."""
        try:
            os.fsync(self._files[name].fileno())
        except OSError as error:
            raise BadInput(f"{self.folder / name} cannot be written: {message_of(error)}") from error

    # --------------------------------------------------------------------------------------------------- opening

    def _claim(self) -> None:
        """Write the identity into a fresh folder, or compare it with the one that is there."""
        path = self.folder / IDENTITY
        try:
            if path.exists():
                known = json.loads(path.read_text("utf-8"))
            elif (self.folder / MOVES).exists():
                known = None
            else:
                known = self._identity
                write_whole(path, (json.dumps(known, indent=2) + "\n").encode())
        except OSError as error:
            raise BadInput(f"{path} cannot be used: {message_of(error)}") from error
        except ValueError:
            raise BadInput(f"{path} is damaged: not JSON; start in another folder") from None
        if known is None:
            raise BadInput(f"{self.folder} holds {MOVES} but no {IDENTITY}; start in another folder")
        difference = first_difference(known, self._identity)
        if difference is not None:
            key, there, here = difference
            if line := changed(key, self.folder, there):
                raise BadInput(line)
            raise BadInput(
                f"{key}={here} differs from the run in {self.folder}, where it is {there}; "
                "go on with the same value, or choose another folder"
            )

    def _open(self, name: str) -> None:
        """Open the file for appending, a torn last line cut off."""
        path = self.folder / name
        try:
            file = self._files[name] = path.open("ab", buffering=0)
            whole = _end_of_last_line(path)
            if whole < path.stat().st_size:
                file.truncate(whole)
                os.fsync(file.fileno())
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {message_of(error)}") from error


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a file that a run appends to, without newlines; one that is cut short, or not whole yet, is none."""
    return path.read_bytes().split(b"\n")[:-1]


def first_difference(there: Any, here: Any, key: str = "") -> tuple[str, str, str] | None:
    """The first key at which two JSON values differ, with both values as text, or None; nested keys are dotted."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in [*here, *(name for name in there if name not in here)]:
            below = f"{key}.{name}" if key else name
            if name not in there or name not in here:
                return below, _shown(there, name), _shown(here, name)
            found = first_difference(there[name], here[name], below)
            if found is not None:
                return found
        return None
    # The types count: JSON keeps 1, 1.0 and true apart, Python's == does not.
    same = json.dumps(there, sort_keys=True) == json.dumps(here, sort_keys=True)
    return None if same else (key or IDENTITY, json.dumps(there), json.dumps(here))


def _shown(values: dict[str, Any], name: str) -> str:
    return json.dumps(values[name]) if name in values else "not set"


def _commit_line(body: dict[str, Any], before: int) -> tuple[str, int]:
    """The line of a commit and its check sum, which goes on from the one before."""
    columns = ",".join(f'"{name}":{body[name]}' for name in body if name != REASONS)
    text = f"{{{columns}}}".replace(" ", "")  # what json.dumps would say of lists of ints, in a quarter of the time
    if REASONS in body:
        text = f'{text[:-1]},"{REASONS}":{json.dumps(body[REASONS])}}}'
    check_sum = zlib.crc32(text.encode(), before)
    return f'{{"crc32":"{check_sum:08x}",{text[1:]}', check_sum


def _end_of_last_line(path: Path, block: int = 1 << 16) -> int:
    """Bytes up to and with the last newline of the file."""
    with path.open("rb") as file:
        at = file.seek(0, os.SEEK_END)
        while at > 0:
            begin = max(0, at - block)
            file.seek(begin)
            found = file.read(at - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            at = begin
    return 0
