"""FEN: what it names, and what is refused, one line each."""

import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from tests.games.chess_drivers import GAME

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
BOARD = START.split()[0]


def read(text):
    return contract.parse_position(GAME, text)


def test_the_start():
    assert contract.position_text(GAME, contract.start(GAME)) == START
    assert read(START) == read("startpos") == read(f"  {BOARD}  w KQkq - ") == contract.start(GAME)


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 13 77",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 1024",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 1025",  # after the last ply there may be
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
        "4k3/8/8/8/pP6/8/8/4K3 b - b3 0 5",
        "4k3/8/8/8/6Pp/8/8/4K3 b - g3 0 5",
        "8/8/2k5/QQQQQ3/8/8/QQQQ4/4K3 b - - 0 1",  # nine queens
    ],
)
def test_there_and_back(fen):
    assert contract.position_text(GAME, read(fen)) == fen


def test_en_passant_stands_only_where_a_pawn_stands_ready():
    assert contract.position_text(GAME, read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")) == (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    )


def test_what_programs_write_beside_the_standard():
    assert read(START.replace("0 1", "0 0")) == read(START)
    assert read(START.replace("0 1", "160 120")) == read(START.replace("0 1", "150 120"))


@pytest.mark.parametrize("operations", ["bm Nf3;", 'id "1"; bm e4 d4;', "0 1 ;D1 20 ;D2 400", "hmvc 0; fmvn 1;"])
def test_operations_of_an_epd_are_left_out(operations):
    assert read(f"{BOARD} w KQkq - {operations}") == read(START)


BAD = {
    "": "0 fields in place of six",
    "e4": "1 fields in place of six",
    f"{BOARD} w KQkq - 0": "5 fields in place of six",
    f"{START} 0": "7 fields in place of six",
    f"{BOARD}/8 w KQkq - 0 1": "9 ranks in place of eight",
    f"{BOARD[:-9]} w KQkq - 0 1": "7 ranks in place of eight",
    START.replace("pppppppp", "ppppppp"): "rank 7 has 7 squares",
    START.replace("PPPPPPPP", "PPPPPPPP1"): "rank 2 has 9 squares",
    START.replace("/8/8/8/8/", "/8/9/8/8/"): "rank 5 is '9'",
    START.replace("/8/8/8/8/", "/8/0/8/8/"): "rank 5 is '0'",
    START.replace("/8/8/8/8/", "/8/44/8/8/"): "rank 5 is '44'",
    f"{BOARD} w KQkq - bm Nf3": "the move number is 'Nf3', not a number",
    START.replace("/8/8/8/8/", "/8//8/8/"): "rank 5 is ''",
    START.replace("/8/8/8/8/", "/8/²7/8/8/"): "rank 5 is '²7'",
    START.replace("RNBQKBNR", "RNBQXBNR"): "rank 1 is 'RNBQXBNR'",
    START.replace(" w ", " x "): "the player to move is 'x', not w or b",
    START.replace(" w ", " W "): "the player to move is 'W', not w or b",
    START.replace("KQkq", "QKkq"): "castling is 'QKkq' in place of letters of KQkq in that order",
    START.replace("KQkq", "HAha"): "castling is 'HAha'",
    START.replace("RNBQKBNR", "RNBQKB1R").replace(
        "B1R", "BR1"
    ): "castling K with the king or the rook not in its place",
    START.replace("rnbqkbnr", "rnb1kbnr").replace("rnb1kbnr", "rnbk1bnr"): "castling k with the king or the rook",
    START.replace("kq -", "kq e4"): "en passant is 'e4', not - or a square of rank 6",
    START.replace("kq -", "kq e3"): "en passant is 'e3', not - or a square of rank 6",
    START.replace("kq -", "kq e6"): "en passant on e6 without a pawn that has just gone two squares",
    "4k3/4n3/8/3pP3/8/8/8/4K3 w - d6 0 2".replace("4n3", "3n4"): "en passant on d6 without a pawn that has just gone",
    "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 2": "en passant on d6 without a pawn that has just gone",
    "3rk3/8/8/3pP3/8/8/8/3K4 w - d6 0 2": None,
    "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 2": None,
    "4k3/b7/8/3pP3/8/8/8/6K1 w - d6 0 2": "en passant on d6 after a move that could not be played",
    START.replace("0 1", "-1 1"): "the clock of fifty moves is '-1', not a number from 0 to 2048",
    START.replace("0 1", "2049 1"): "the clock of fifty moves is '2049', not a number from 0 to 2048",
    START.replace("0 1", "0 -1"): "the move number is '-1', not a number from 0 to 1025",
    START.replace("0 1", "0 1026"): "the move number is '1026', not a number from 0 to 1025",
    "4k3/8/8/8/8/8/8/4K3 b - - 0 1025": "the move number is '1025', not a number from 0 to 1024",
    START.replace("0 1", "0 1.5"): "the move number is '1.5', not a number",
    START.replace("0 1", "٣ 1"): "the clock of fifty moves is '٣', not a number",
    START.replace("0 1", "0 1" + "0" * 30): "the move number is '1000",
    START.replace("K", "Q", 1).replace("KQkq", "kq"): "White has 0 kings",
    "8/8/8/8/8/8/8/8 w - - 0 1": "White has 0 kings",
    "4k3/8/8/8/8/8/8/KK6 w - - 0 1": "White has 2 kings",
    "8/8/8/8/8/8/8/K7 w - - 0 1": "Black has 0 kings",
    "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1": "White has 9 pawns and 0 promoted pieces",
    "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1": "White has 8 pawns and 1 promoted pieces",
    "QQQQQQQQ/QQ6/8/8/8/2k5/8/4K3 b - - 0 1": "White has 0 pawns and 9 promoted pieces",
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1": "a pawn stands on the first or the last rank",
    "4k3/8/8/8/8/8/8/p3K3 w - - 0 1": "a pawn stands on the first or the last rank",
    "4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1": "the player who is not to move is in check",
    "8/8/8/8/8/8/4k3/4K3 w - - 0 1": "the kings stand side by side",
}


@pytest.mark.parametrize("fen", [fen for fen, why in BAD.items() if why])
def test_what_is_no_position_is_refused(fen):
    with pytest.raises(BadInput) as refusal:
        read(fen)
    assert str(refusal.value).startswith("position: ") and BAD[fen] in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1


@pytest.mark.parametrize("fen", [fen for fen, why in BAD.items() if why is None])
def test_en_passant_that_pins_forbid_is_a_position(fen):
    read(fen)
