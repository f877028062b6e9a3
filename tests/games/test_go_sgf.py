"""SGF in and out: what is well formed is read, all else is a line with its place; what we write, we and others read."""

import functools
import random
import re

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import Record, parse_record, record_format, record_text
from gpumcts.games.go import Go
from gpumcts.games.othello import Othello
from gpumcts.gtp.position import GtpPosition
from gpumcts.gtp.records import read_record

GO = {size: Go(size=size).compiled() for size in (9, 13, 19)}
PLACE = re.compile(r"line [0-9]+, column [0-9]+: [^\n]+")
SUPERKO = "A2 C2 B2 D1 J9 B1 J8 A1 C1"  # after these White may not take on B1


def read(text, plies=None):
    return parse_record(GO[9], text, plies)


def moves_of(record):
    """The moves as text, from where the record begins."""
    return " ".join(GtpPosition(record.game, start=record.start).line(record.moves))


def start_of(record):
    with np.errstate(over="ignore"):
        return contract.position_text(record.game, record.start)


NASTY = r"""some mail before it
(;FF[4]GM[1]SZ[9] KM[6.5]  RU[Chinese] PB[A \] B \\]PW[two
lines]HA[0]RE[B+2.5]XX[a][b]C[a:b;(\])
soft \
break];B[ee]C[;W[aa\]];W [gc]
(;B[cc](;W[gg];B[cg];W[];B[tt])(;W[dd]))(;B[dd]))(;SZ[13])garbage)]"""


def test_a_nasty_file():
    record = read(NASTY.replace("\n", "\r\n"))
    assert moves_of(record) == "E5 G7 C7 G3 C3 pass pass"
    assert record.terms == {"size": 9, "komi": 6.5} and record.game == Go(size=9, komi=6.5).compiled()
    assert record.tags == {"PB": "A ] B \\", "PW": "two lines", "RU": "Chinese", "RE": "B+2.5", "HA": "0"}
    assert moves_of(read(NASTY, 2)) == "E5 G7" and read(NASTY, 0).moves == []


@pytest.mark.parametrize(
    ("text", "moves", "start"),
    [
        ("(;SZ[9];Black[aa];White[ii])", "A9 J1", "b"),
        ("(;SZ[9:9];B[aa];W[ii])", "A9 J1", "b"),
        ("(;SZ[9]B[aa];W[ii])", "A9 J1", "b"),
        ("(;SZ[9];B[aa];B[bb];W[cc];W[dd])", "A9 pass B8 C7 pass D6", "b"),
        ("(;SZ[9];W[aa];B[bb])", "A9 B8", "w"),
        ("(;SZ[9]HA[2]AB[cc][gg];W[ee])", "E5", "w"),
        ("(;SZ[9]HA[2]AB[cc][gg])", "", "w"),
        ("(;SZ[9]AB[aa:cc]AW[dd]AE[]PL[W];W[ee];B[])", "E5 pass", "w"),
        ("(;SZ[9];B[aa];W[bb];B[cc];AE[aa]AW[ii];W[hh];B[gg])", "H2 G3", "w"),
        ("(;SZ[9];B[];W[];W[];B[])", "pass pass", "b"),
        ("(;SZ[9];B[ee];KO[];C[];MN[3];W[])", "E5 pass", "b"),
    ],
)
def test_what_is_well_formed(text, moves, start):
    record = read(text)
    assert moves_of(record) == moves and start_of(record).split()[1] == start


def test_what_is_set():
    record = read("(;SZ[9]AB[aa:cc][ii]AW[dd];AE[bb]AW[ii]PL[B];B[ee])")
    assert start_of(record).split()[0].split("/")[:4] == ["XXX......", "X.X......", "XXX......", "...O....."]
    assert start_of(record).split()[0].split("/")[8] == "........O" and moves_of(record) == "E5"


BROKEN = {
    "": "line 1, column 1: no game begins anywhere: there is no '(;'",
    "(;SZ[9];B[ee]": "line 1, column 1: the game that begins here does not end: 1 ')' missing",
    "\n (;SZ[9](;B[ee](;W[aa])": "line 2, column 2: the game that begins here does not end: 2 ')' missing",
    "(;SZ[9]C[never\nends)": "line 1, column 9: the value of C does not end: ']' is missing",
    "(;SZ[9]C[a][never\nends)": "line 1, column 12: the value of C does not end: ']' is missing",
    "(;SZ[9]B)": "line 1, column 9: property 'B' has no value",
    "(;sz[9])": "line 1, column 3: 'sz' is no property: their names are capitals",
    "(;SZ[9]7[aa])": "line 1, column 8: '7[aa])' where a property, ';', '(' or ')' belongs",
    "(;SZ[9](;B[aa]);W[bb])": "line 1, column 16: ';' where '(' or ')' belongs",
    "(;SZ[9](B[aa]))": "line 1, column 9: 'B[aa]))' where ';' belongs",
    "(;GM[2]SZ[8])": "line 1, column 6: GM[2]: the game is not Go, which is GM[1]",
    "(;SZ[5])": "line 1, column 6: SZ[5]: Go is played on 9, 13 or 19 points a side",
    "(;SZ[9:13])": "line 1, column 6: SZ[9:13]: Go is played on",
    "(;SZ[9][13])": "line 1, column 9: SZ has more than one value",
    "(;KM[six])": "line 1, column 6: KM[six]: komi is a number, as 7.5",
    "(;KM[3.75])": "line 1, column 6: komi=3.75: komi is a number of whole or half points",
    "(;KM[375])": "line 1, column 6: KM[375]: komi is in points, as 7.5, and a 19x19 board has 361 points",
    "(;KM[-81.5]SZ[9])": "line 1, column 6: KM[-81.5]: komi is in points, as 7.5, and a 9x9 board has 81 points",
    "(;SZ[9];B[aa]\nKM[5.5])": "line 2, column 4: KM[5.5]: KM belongs in the first node",
    "(;;SZ[9])": "line 1, column 7: SZ[9]: SZ belongs in the first node",
    "(;SZ[9];RU[Japanese])": "line 1, column 12: RU[Japanese]: RU belongs in the first node",
    "(;SZ[9];HA[2]AB[cc][gg])": "line 1, column 12: HA[2]: HA belongs in the first node",
    "(;SZ[9];B[aa];\nW[jj])": "line 2, column 3: W[jj] is no point of a 9x9 board: aa to ii",
    "(;SZ[9];B[aa];\nW[aa])": "line 2, column 3: White's move 'A9' is not legal here: there is a stone on A9",
    "(;SZ[9]AW[ab][bb][ca];B[ba];W[ii];B[aa])": (
        "column 37: Black's move 'A9' is not legal here: a stone on A9 would have no"
    ),
    "(;SZ[9];B[aa]W[bb])": "line 1, column 16: a second move in one node",
    "(;SZ[9]AB[aa]AW[aa])": "line 1, column 11: a point is both in AB and in AW",
    "(;SZ[9]AB[aa]AW[ab][ba])": "line 1, column 11: the chain of A9 has no liberty",
    "(;SZ[9]PL[Z])": "line 1, column 11: PL[Z]: it is B or W",
    "(;SZ[9]AB[aa:zz])": "line 1, column 11: AB[zz] is no point",
}


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_broken_is_one_line_with_its_place(text):
    with pytest.raises(BadInput, match=re.escape(BROKEN[text])) as caught:
        read(text)
    assert PLACE.fullmatch(str(caught.value))


def test_a_komi_of_all_points_is_one():
    assert read("(;SZ[9]KM[81])").terms["komi"] == 81
    beyond = Go(size=9, komi=100).compiled()
    assert parse_record(beyond, "(;SZ[9])", None).game == beyond, "what the file leaves open is not the file's"


@pytest.mark.parametrize("komi", [-400, -81.5, 81.5, 100, 400])
def test_a_komi_beyond_all_points_comes_back_from_what_we_wrote(komi):
    game = Go(size=9, komi=komi).compiled()
    text = record_text(game, Record(game, {}, contract.start(game), [], {}))
    assert parse_record(GO[9], text, None).game == game


LATER = {
    "(;SZ[9];B[aa];W[bb];B[zz])": 2,
    "(;SZ[9];B[aa];W[bb];B[aa])": 2,
    "(;SZ[9];B[aa];W[bb];B[cc]W[dd])": 2,
    "(;SZ[9];B[aa];W[bb];KM[5.5];B[cc];AB[zz])": 2,
    "(;SZ[9];B[zz])": 0,
}
"""Games that are wrong after so many moves."""


@pytest.mark.parametrize("text", LATER)
def test_what_is_wrong_after_the_last_move_asked_for_does_not_count(text):
    plies = LATER[text]
    assert len(read(text, plies).moves) == plies
    with pytest.raises(BadInput, match="line 1, column"):
        read(text, plies + 1)


GOES_ON = {
    "(;SZ[9];B[ee];W[];W[dd])": "D6",  # Black's pass is left out, and the second in a row
    "(;SZ[9];B[];B[dd])": "D6",
    "(;SZ[9];B[];W[];B[dd])": "D6",  # what is dead was settled by playing on
    "(;SZ[9];B[];W[];W[dd])": "pass D6",
    "(;SZ[9];B[ee];W[];B[];W[];B[];B[cc];W[dd])": "pass C7 D6",
    "(;SZ[9];B[ee];W[];B[])": "E5 pass pass",
    "(;SZ[9];B[aa];PL[B];B[bb])": "A9 pass B8",  # no point is set there
    "(;SZ[9];B[aa];AB[aa]PL[W];W[bb])": "A9 B8",
    "(;SZ[9];B[];W[];PL[W];W[bb])": "pass B8",
}
"""The moves of games that go on after passes, from where their records begin."""


@pytest.mark.parametrize("text", GOES_ON)
def test_passes_that_are_left_out_end_no_game(text):
    assert moves_of(read(text)) == GOES_ON[text]


def sgf_of(names):
    """A file of moves by turns, by their names on the board."""
    points = [f"{name[0].lower().replace('j', 'i')}{'ihgfedcba'[int(name[1]) - 1]}" for name in names.split()]
    return "(;SZ[9]" + "".join(f";{'BW'[k % 2]}[{point}]" for k, point in enumerate(points))


def test_superko_holds_after_passes_too():
    """The position has been there, two passes or none."""
    assert moves_of(read(sgf_of(SUPERKO) + ";W[];B[];W[gg])")) == "G3"
    for passes in ("", ";W[];B[]"):
        with pytest.raises(BadInput, match="White's B1 brings back an earlier position"):
            read(sgf_of(SUPERKO) + passes + ";W[bi])")


def test_a_game_has_an_end_without_passes():
    """White captures 80 stones by ply 160; after 162 it is over, and no pass was left out."""
    points = [f"{x}{y}" for y in "abcdefghi" for x in "abcdefghi"]
    text = "(;SZ[9]" + ";W[]".join(f";B[{point}]" for point in points[:80]) + ";W[ii];B[aa];W[bb]"
    assert len(read(text + ")").moves) == 162
    with pytest.raises(BadInput, match="Black moves after 162 plies, the most a game here may have"):
        read(text + ";B[cc])")


def test_what_is_set_before_the_next_move_is_set():
    record = read("(;SZ[9];B[aa];AB[bb];AW[cc]PL[W]W[zz])", 1)
    rows = "/".join(["X........", ".X.......", "..O......"] + ["........."] * 6)
    assert record.moves == [] and start_of(record).split()[:2] == [rows, "w"]


def test_superko_in_a_file():
    position = GtpPosition(GO[9])
    for move in SUPERKO.split():
        position.play(len(position.moves) % 2, move)
    text = record_text(GO[9], Record(GO[9], {}, position.start, position.moves, {}))
    assert read(text).moves == position.moves
    with pytest.raises(BadInput, match="White's B1 brings back an earlier position"):
        read(text.replace(")", ";W[bi])"))


def test_files_that_are_long_and_deep():
    """Twenty thousand variations within each other, a value of 200,000 characters, and as many escapes."""
    depth = 20_000
    deep = "(;SZ[9];B[aa]" + "(;W[bb]C[x]" + "(;C[x]" * depth + ")" * depth + ")" + "(;W[cc])" * depth + ")"
    assert moves_of(read(deep)) == "A9 B8"
    value = "x" * 200_000 + "\\]" * 200_000
    assert moves_of(read(f"(;SZ[9]C[{value}];B[aa])")) == "A9"


def random_record(size, generator, start=None):
    """A game of random moves, passes among them, with tags that have to be escaped."""
    position = GtpPosition(GO[size], start=start)
    for _ in range(generator.randrange(30)):
        if position.over:
            break
        with np.errstate(over="ignore"):
            legal = int(contract.count_moves(position.game, position.state))
            position.push(int(contract.nth_move(position.game, position.state, generator.randrange(legal))))
    tags = {"PB": "a ] \\ b", "PW": "w:[", "RE": "0", "RU": "Chinese"}
    return Record(GO[size], {"size": size, "komi": 7.5}, position.start, position.moves, tags)


@functools.cache
def random_records():
    generator, records = random.Random(5), []
    for number in range(6):
        size = (9, 13, 19)[number % 3]
        start = parse_record(GO[size], f"(;SZ[{size}]AB[dd]AW[ee:fg]PL[W])", None).start if number % 2 else None
        records.append(random_record(size, generator, start))
    return records


def test_what_we_write_we_read():
    for record in random_records():
        again = parse_record(GO[9], record_text(record.game, record), None)
        assert again == record and repr(again.game) == repr(record.game)


def test_what_we_write_sgfmill_reads_and_the_other_way_round():
    sgf = pytest.importorskip("sgfmill.sgf")
    for record in random_records():
        text, size = record_text(record.game, record), record.game.SIZE
        game = sgf.Sgf_game.from_bytes(text.encode())
        assert (game.get_size(), game.get_komi(), game.get_player_name("b")) == (size, 7.5, "a ] \\ b")
        theirs = [node.get_move() for node in game.get_main_sequence()]
        points = [size * size if point is None else point[0] * size + point[1] for colour, point in theirs if colour]
        assert points == record.moves
        assert parse_record(GO[9], game.serialise().decode(), None) == record


def test_noise_is_refused_or_read():
    """Files of ours with bytes changed, left out and put in: a record, or one line with its place."""
    generator, refused = random.Random(8), 0
    signs = "()[];\\:\n BWAKMSZ[]()abit0123456789.é\0"
    texts = [NASTY, "(;SZ[9]HA[2]AB[cc][gg]KM[0.5];W[ee];B[ff];W[];B[aa])"]
    for _ in range(600):
        text = list(generator.choice(texts))
        for _ in range(generator.randrange(1, 6)):
            at = generator.randrange(len(text))
            text[at : at + generator.randrange(3)] = generator.choices(signs, k=generator.randrange(4))
            text = text or [""]
        try:
            assert isinstance(read("".join(text)), Record)
        except BadInput as error:
            refused += 1
            assert PLACE.fullmatch(str(error)), str(error)
    assert 100 < refused < 600


def test_files(tmp_path):
    """By the character set they name, else UTF-8, else Latin-1; what cannot be read is one line."""
    path = tmp_path / "a.sgf"
    for content in ("(;SZ[9]CA[Shift_JIS]PB[碁])".encode("shift_jis"), "\ufeff(;SZ[9]PB[碁])".encode()):
        path.write_bytes(content)
        assert read_record(GO[9], str(path)).tags["PB"] == "碁"
    path.write_bytes(b"(;SZ[9]CA[zip]PB[\xe9])")
    assert read_record(GO[9], str(path)).tags["PB"] == "é"
    with pytest.raises(BadInput, match=re.escape(f"{path}: the game has 0 moves, no 3")):
        read_record(GO[9], str(path), 3)
    for name, why in ((tmp_path, "Is a directory"), (tmp_path / "no.sgf", "No such file"), ("a\0b", "null")):
        with pytest.raises(BadInput, match=why):
            read_record(GO[9], str(name))
    assert not record_format(Othello())
    with pytest.raises(BadInput, match="Othello has no records"):
        parse_record(Othello(), "(;)", None)
