"""An external engine that speaks GTP, asked command by command."""

import re
import threading
import time

from gpumcts.programs.process import MAX_LOG, EngineError, EngineTimeout, Log, Process, readable, words_of

__all__ = ["MAX_LOG", "Log", "GtpProgram", "Refused", "EngineError", "readable", "words_of"]

MAX_ANSWER = 1 << 16
STATUS = re.compile(r"([=?])\d*(?:\s+|$)")


class Refused(Exception):
    """An answer that begins with ``?``: the program's own words."""


class GtpProgram(Process):
    """One running program that speaks GTP."""

    def ask(self, command: str, stop: threading.Event | None = None) -> str:
        """The answer to a command, without its status, lines joined by newlines.

        Raises Refused for an error of the program's own, EngineError where it crashed, hangs or says what is no answer,
        and KeyboardInterrupt where ``stop`` is set meanwhile. After the last two it is of no more use.
        """
        end = time.monotonic() + self.patience
        self._check_nothing_unasked()
        self.send(command, stop)
        status, lines, size = "", [], 0
        while True:
            try:
                line = self._line(command, end, stop)
            except EngineTimeout:
                if not status:
                    raise
                why = f"its answer to {command} did not end in an empty line within {self.patience:g} s"
                raise EngineTimeout(f"hangs: {why}") from None
            size += len(line)
            if size > MAX_ANSWER:
                raise EngineError(f"answered {command} with more than {MAX_ANSWER >> 10} KiB")
            text = line.decode("utf-8", "replace").rstrip()
            if not text and status:
                break
            if text and not status:
                found = STATUS.match(text)
                if found is None:
                    raise EngineError(f"answered {command} with garbage: {readable(text)}")
                status, text = found[1], text[found.end() :]
            if status:
                lines.append(text)
        answer = "\n".join(lines).strip()
        if status == "?":
            raise Refused(answer)
        return answer

    def _check_nothing_unasked(self) -> None:
        """What it says while nobody asks would pass for the next answer."""
        for line in self._unasked():
            if line.strip():
                raise EngineError(f"spoke unasked: {readable(line.decode('utf-8', 'replace'))}")
