"""Our GTP engine: analysis for GUIs."""

import io
import re
import threading

import pytest

from gpumcts.errors import BadInput
from gpumcts.gtp import analysis
from gpumcts.gtp.stream import serve
from tests.gtp.drivers import OTHELLO, talk, texts

# -------------------------------------------------------------------------------------------------------- analysis

INFO = re.compile(r"info move (\S+) visits (\d+) winrate (\d+) order (\d+) pv (\S+(?: \S+)*?)(?= info|$)")


def test_analysis_tells_until_another_line_comes(engine):
    ((status, number, text), (_, _, name)) = talk(engine(), "5 lz-analyze b 1", "name")
    assert (status, number, name) == ("=", "5", "gpumcts")
    for line in text.strip().splitlines():
        found = INFO.findall(line)
        assert [int(order) for *_, order, _ in found] == list(range(len(found))) and found
        assert {move for move, *_ in found} <= {"f5", "e6", "d3", "c4"}
        assert all(pv.split()[0] == move and 0 <= int(rate) <= 10_000 for move, _, rate, _, pv in found)
        visits = [int(visits) for _, visits, *_ in found]
        assert visits == sorted(visits, reverse=True)


class Slow(io.RawIOBase):
    """A source whose second line comes when ``ready`` is set."""

    def __init__(self, first, second):
        super().__init__()
        self.parts, self.ready = [first, second], threading.Event()

    def read(self, size=-1):
        if len(self.parts) == 1:
            self.ready.wait(30)
        return self.parts.pop(0) if self.parts else b""


def test_analysis_goes_on_where_it_was_and_stops_at_once(engine):
    """Lines come at the interval; the second analysis of a position has the visits of the first."""

    class Sink(io.BytesIO):
        def write(self, data):
            if b"info" in data:
                source.ready.set()
            return super().write(data)

    fresh = engine()
    source, sink = Slow(b"lz-analyze interval 1\n", b"name\n"), Sink()
    serve(fresh.handle, source, sink)
    assert sink.getvalue().startswith(b"=\ninfo move ") and sink.getvalue().endswith(b"\n\n= gpumcts\n\n")
    first = fresh._search[1].iterations
    assert (
        texts(fresh, "gpumcts-pv")[0].startswith("=") and f"after {first:,} iterations" in texts(fresh, "gpumcts-pv")[0]
    )
    talk(fresh, "analyze")
    assert fresh._search[1].iterations > first


def test_analysis_refuses_what_it_cannot_do(engine):
    fresh = engine()
    assert texts(fresh, "lz-analyze w", "lz-analyze b soon", "lz-analyze interval", "gpumcts-pv")[:2] == [
        "?it is the other player's turn",
        "?syntax error: it takes a colour, and an interval in hundredths of a second",
    ]
    assert analysis.options_of(["interval", "20"], OTHELLO, 1)[:2] == (1, 0.2)
    assert analysis.options_of(["B"], OTHELLO, 1)[:2] == (0, analysis.INTERVAL)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("b 10 maxmoves 3", (0, 0.1, 3)),
        ("interval 10 minmoves 1", (1, 0.1, analysis.MAX_MOVES)),
        ("w 50 avoid b A1,B2 1 maxmoves 2 ownership true", (1, 0.5, 2)),
        ("maxmoves 0 interval 0", (1, 0.01, 1)),
    ],
)
def test_what_guis_ask_of_an_analysis(words, found):
    assert analysis.options_of(words.split(), OTHELLO, 1)[:3] == found


@pytest.mark.parametrize("words", ["10 10", "maxmoves", "maxmoves x", "avoid b A1", "interval 1234567", "boo 1"])
def test_what_no_analysis_has(words):
    with pytest.raises(BadInput, match="syntax error"):
        analysis.options_of(words.split(), OTHELLO, 0)


def test_katagos_analysis_has_shares_and_as_many_moves_as_asked_for(engine):
    ((_, _, text), *_) = talk(engine(), "kata-analyze b 1 maxmoves 2", "name")
    lines = [line for line in text.splitlines() if line.startswith("info")]
    assert lines and all(line.count("info move") == 2 for line in lines[1:])
    rates = [float(word) for word in re.findall(r"winrate (\S+)", text)]
    assert all(0 <= rate <= 1 for rate in rates) and any(0 < rate < 1 for rate in rates)


def test_genmove_with_analysis_and_goguis_commands(engine):
    fresh = engine(iterations=50_000)
    ((status, _, text),) = talk(fresh, "lz-genmove_analyze b 1")
    *infos, last = text.strip().splitlines()
    assert status == "=" and infos and all(INFO.match(line) for line in infos)
    assert re.fullmatch(r"play \w\d", last) and len(fresh.position.moves) == 1
    entries = [line.split("/") for line in texts(fresh, "gogui-analyze_commands")[0][1:].splitlines()]
    assert all(len(entry) == 3 for entry in entries)
    assert texts(fresh, "gpumcts-pv")[0].startswith("?this position has not been searched")
    talk(fresh, "undo")
    for _, _, command in entries:
        assert texts(fresh, f"known_command {command}") == ["=true"] and texts(fresh, command)[0].startswith("=")
    pairs = texts(fresh, "gpumcts-winrates")[0][1:].split()
    assert {*pairs[::2]} <= {"d3", "c4", "f5", "e6"} and all(0 <= int(rate) <= 100 for rate in pairs[1::2])
