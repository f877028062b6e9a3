"""Positions of Chess by hand: castling, taking en passant, pins, checks, promotions, ends."""

import pytest

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.chess import Chess
from gpumcts.games.chess.fen import fen_of
from gpumcts.games.chess.san import described, moves_of, san, uci
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.gtp.position import GtpPosition
from gpumcts.kernels.batch import Rules
from tests.games.chess_drivers import GAME

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def state_of(fen):
    return contract.parse_position(GAME, fen)


def legal(fen):
    """The legal moves, compiled, in plain Python and as text."""
    state, rules = state_of(fen), Rules(GAME)
    numbers = rules.legal_moves(rules.words(state)).tolist()
    assert [int(contract.nth_move(GAME, state, k)) for k in range(int(contract.count_moves(GAME, state)))] == numbers
    return {contract.move_text(GAME, state, number) for number in numbers}


def after(fen, text):
    """FEN after moves."""
    state = state_of(fen)
    for move in text.split():
        state = contract.play(GAME, state, contract.parse_move(GAME, state, move))
    return fen_of(state)


BOTH = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
CASTLING = {
    BOTH: "e1g1 e1c1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1": "e8g8 e8c8",
    "r3k2r/8/8/8/8/8/8/R3K2R w Kkq - 0 1": "e1g1",
    "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1": "",
    "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1": "",  # out of check
    "4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1": "e1c1",  # through check
    "4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1": "e1c1",  # into check
    "4k3/8/8/8/3r4/8/8/R3K2R w KQ - 0 1": "e1g1",
    "4k3/8/8/8/2r5/8/8/R3K2R w KQ - 0 1": "e1g1",
    "4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1": "e1g1 e1c1",  # b1 may be attacked
    "4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1": "",  # something stands between
    "4k3/8/8/8/8/8/7p/R3K2R w KQ - 0 1": "e1c1",  # a pawn attacks g1
    "r3k2r/6P1/8/8/8/8/8/4K3 b kq - 0 1": "e8c8",
    "r3k2r/1P6/8/8/8/8/8/4K3 b kq - 0 1": "e8g8",  # a pawn attacks c8
}


@pytest.mark.parametrize("fen", CASTLING)
def test_castling(fen):
    castles = {uci(m) for m in moves_of(state_of(fen)) if m.kind == 3 and abs(m.source - m.target) == 2}
    assert castles == set(CASTLING[fen].split()) and castles <= legal(fen)


@pytest.mark.parametrize(
    ("moves", "fen"),
    [
        ("e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"),
        ("e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1"),
        ("e1g1 e8c8", "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2"),
        ("e1e2", "r3k2r/8/8/8/8/8/4K3/R6R b kq - 1 1"),
        ("h1h2", "r3k2r/8/8/8/8/8/7R/R3K3 b Qkq - 1 1"),
        ("h1h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1"),  # a rook that is taken cannot castle either
        ("a1a8 e8e7", "R6r/4k3/8/8/8/8/8/4K2R w K - 1 2"),
    ],
)
def test_rights_to_castle(moves, fen):
    assert after(BOTH, moves) == fen


def test_a_king_that_moves_two_squares_from_elsewhere_is_refused():
    with pytest.raises(BadInput):
        after("4k3/8/8/8/8/8/8/R2K3R w - - 0 1", "d1f1")


PASSANT = {  # position: moves en passant
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2": "e5d6",
    "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2": "",
    "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 2": "c5d6 e5d6",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1": "d4e3",
    "8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1": "",  # both leave the rank of the king
    "8/8/8/8/R2Pp2k/8/8/4K3 b - d3 0 1": "",
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2": "",
    "8/8/8/K1PpP2r/8/8/8/4k3 w - d6 0 2": "c5d6 e5d6",  # a pawn stays between
    "4k3/4r3/8/3pP3/8/8/8/4K3 w - d6 0 2": "",  # pinned on the file
    "4k3/8/8/1b1pP3/2P5/8/4K3/8 w - d6 0 2": "e5d6",
    "4k3/8/5b2/3pP3/3K4/8/8/8 w - d6 0 2": "e5d6",  # pinned on a diagonal, and the pawn that pins is beside
    "4k3/6b1/8/3pP3/3K4/8/8/8 w - d6 0 2": "",
    "4k3/2b5/8/3pP3/8/6K1/8/8 w - d6 0 2": "e5d6",  # along the line of the pin
    "4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 2": "e5d6",  # the pawn that gives check is taken
    "8/8/8/3pP3/8/1K6/8/k7 w - d6 0 2": "e5d6",
}


@pytest.mark.parametrize("fen", PASSANT)
def test_taking_en_passant(fen):
    chess = pytest.importorskip("chess")
    board = chess.Board(fen)
    theirs = {move.uci() for move in board.legal_moves if board.is_en_passant(move)}
    target = fen.split()[3]
    ours = {text for text in legal(fen) if text[2:4] == target and text[0] != target[0]} if target != "-" else set()
    assert ours & {move.uci() for move in board.legal_moves} == theirs
    assert legal(fen) == {move.uci() for move in board.legal_moves}


def test_taking_en_passant_takes_the_pawn():
    assert after("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6") == "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2"
    assert after("4k3/2p5/8/3P4/8/8/8/4K3 b - - 3 2", "c7c5 d5c6") == "4k3/8/2P5/8/8/8/8/4K3 b - - 0 3"


LEGAL = {
    "4k3/8/8/8/1b6/8/3N4/4K3 w - - 0 1": "e1d1 e1e2 e1f1 e1f2",  # a pinned knight
    "4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1": "e2e3 e2e4 e2e5 e2e6 e2e7 e1d1 e1d2 e1f1 e1f2",  # a pinned rook
    "4k2r/8/8/8/1b6/2B5/8/4K3 w - - 0 1": "c3b4 c3d2 e1d1 e1d2 e1e2 e1f1 e1f2",
    "4k3/8/8/8/1b6/2P5/8/4K3 w - - 0 1": "c3b4 e1d1 e1d2 e1e2 e1f1 e1f2",  # a pinned pawn takes who pins it
    "4k3/4r3/8/8/8/8/4P3/4K3 w - - 0 1": "e2e3 e2e4 e1d1 e1d2 e1f1 e1f2",
    "4k3/8/8/8/8/8/r3P2K/8 w - - 0 1": None,  # a pawn pinned on the rank does not move
    "4k3/8/8/8/8/5n2/4r3/4K3 w - - 0 1": "e1d1 e1e2 e1f1",  # a double check: nobody but the king moves
    "4k3/8/8/b7/8/3n4/8/R3K2R w KQ - 0 1": "e1d1 e1e2 e1f1",  # a knight and a bishop
    "k3r3/8/8/8/8/8/3P1P2/3QKB2 w - - 0 1": "d1e2 f1e2",  # blocks
    "4k3/8/8/8/8/8/5q2/4K3 w - - 0 1": "e1d1 e1f2",
    "7k/P7/8/8/8/8/8/K7 w - - 0 1": "a7a8q a7a8r a7a8b a7a8n a1a2 a1b1 a1b2",
    "1n5k/P7/8/8/8/8/8/K7 w - - 0 1": "a7a8q a7a8r a7a8b a7a8n a7b8q a7b8r a7b8b a7b8n a1a2 a1b1 a1b2",
    "k7/8/8/8/8/8/p6K/1N6 b - - 0 1": "a2a1q a2a1r a2a1b a2a1n a2b1q a2b1r a2b1b a2b1n a8a7 a8b7 a8b8",
    "r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1": None,
}


@pytest.mark.parametrize("fen", LEGAL)
def test_legal_moves(fen):
    chess = pytest.importorskip("chess")
    assert legal(fen) == {move.uci() for move in chess.Board(fen).legal_moves}
    assert LEGAL[fen] is None or legal(fen) == set(LEGAL[fen].split())


def test_as_many_moves_as_there_can_be():
    """218: N. Petrovic, 1964."""
    chess, fen = pytest.importorskip("chess"), "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"
    assert len(legal(fen)) == 218 == GAME.MAX_MOVES
    assert legal(fen) == {move.uci() for move in chess.Board(fen).legal_moves}


@pytest.mark.parametrize(("piece", "placed"), [("q", "Q6k"), ("r", "R6k"), ("b", "B6k"), ("n", "N6k")])
def test_promotions_become_what_they_say(piece, placed):
    assert after("7k/P7/8/8/8/8/8/K7 w - - 5 9", f"a7a8{piece}") == f"{placed}/8/8/8/8/8/8/K7 b - - 0 9"


ENDS = {  # no move, and who has won
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3": -1,  # the shortest mate
    "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4": 1,
    "6rk/5Npp/8/8/8/8/8/K7 b - - 0 1": 1,  # smothered
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1": 0,  # stalemate
    "5bnr/4p1pq/4Qpkr/7p/7P/4P3/PPPP1PP1/RNB1KBNR b KQ - 2 10": 0,  # the shortest stalemate
    "7k/6Q1/6K1/8/8/8/8/8 b - - 100 80": 1,  # mate on the last of the fifty moves
    "7k/8/6K1/8/8/8/8/Q7 b - - 100 80": 0,  # fifty moves
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1": 0,
    "4k3/8/8/8/8/8/8/4KB2 w - - 0 1": 0,
    "4kn2/8/8/8/8/8/8/4K3 w - - 0 1": 0,
    "4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1": 0,  # bishops of one colour
    "4kb2/8/8/8/8/8/3B4/2B1K1B1 w - - 0 1": 0,
}
GO_ON = (
    "4kb2/8/8/8/8/8/8/4KB2 w - - 0 1",  # bishops of two colours
    "4kn2/8/8/8/8/8/8/4KN2 w - - 0 1",
    "4kn2/8/8/8/8/8/8/4KB2 w - - 0 1",
    "4k3/8/8/8/8/8/8/4KNN1 w - - 0 1",
    "4k3/8/8/8/8/8/P7/4K3 w - - 0 1",
    "7k/8/6K1/8/8/8/8/Q7 b - - 99 80",
)


@pytest.mark.parametrize("fen", ENDS)
def test_ends(fen):
    state, rules = state_of(fen), Rules(GAME)
    words = rules.words(state)[None]
    assert legal(fen) == set() and rules.scores(words)[0] == contract.score(GAME, state) == ENDS[fen] * SCORE_UNIT


@pytest.mark.parametrize("fen", GO_ON)
def test_games_that_go_on(fen):
    assert legal(fen)


def test_the_longest_game_that_is_played():
    short = options.compiled(Chess(max_plies=4))
    state = contract.start(short)
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"]:
        assert contract.count_moves(short, state) > 0
        state = contract.play(short, state, contract.parse_move(short, state, move))
    assert contract.count_moves(short, state) == 0 and contract.score(short, state) == 0
    with pytest.raises(BadInput, match=r"ply 6 of the game, which game\.max_plies=4 ends before"):
        contract.parse_position(short, "4k3/8/8/8/8/8/P7/4K3 w - - 0 4")


def plies_until_drawn(fen, moves, game=GAME):
    """Plies played when the game is over, of moves in a circle."""
    played = GtpPosition(game, start=state_of(fen))
    while not played.over:
        played.push(played.parse(moves[len(played.moves) % len(moves)]))
        assert len(played.moves) < 60
    return len(played.moves)


def test_the_third_occurrence_ends_a_game_that_is_played():
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert plies_until_drawn(start, ["g1f3", "g8f6", "f3g1", "f6g8"]) == 8
    # Rights to castle go with the first two plies: what was on the board before comes back as another position.
    assert plies_until_drawn(BOTH, ["h1g1", "h8g8", "g1h1", "g8h8"]) == 10
    state = contract.start(GAME)
    for move in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"]:
        state = contract.play(GAME, state, contract.parse_move(GAME, state, move))
    assert contract.count_moves(GAME, state) == 20, "searches know nothing of it"


@pytest.mark.parametrize(
    ("fen", "plies"),
    [
        ("3k4/8/8/8/4P3/8/8/4R2K b - - 0 1", 8),
        ("3k4/8/8/8/3pP3/8/8/4R2K b - e3 0 1", 9),  # the first position is another one: there a pawn may be taken
        ("3k4/8/8/8/3pP3/8/8/3R3K b - e3 0 1", 8),  # not so where the pawn that might take is pinned
    ],
)
def test_a_right_to_take_en_passant_makes_another_position(fen, plies):
    chess, moves = pytest.importorskip("chess"), ["d8e8", "h1g1", "e8d8", "g1h1"]
    assert plies_until_drawn(fen, moves) == plies
    board = chess.Board(fen)
    for ply in range(plies):
        assert not board.is_repetition(3)
        board.push_uci(moves[ply % 4])
    assert board.is_repetition(3)


def test_names_of_moves():
    """What tells pieces apart: file, rank, both; checks, mates, captures, promotions."""
    named = {
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1"): "Rad1",
        ("4k3/8/8/R7/8/8/4K3/R7 w - - 0 1", "a1a3"): "R1a3",
        ("7k/8/8/8/Q3Q3/8/8/K3Q3 w - - 0 1", "e4e8"): "Qee8+",
        ("1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1"): "Qh4e1",
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2"): "Ne2",  # the other knight is pinned
        ("1k6/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"): "O-O",
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1"): "O-O-O+",
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"): "Ra8#",
        ("1n5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8n"): "axb8=N",
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6"): "exd6",
        # Mate on the last of the fifty moves is mate; a check then is one.
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80", "a1a8"): "Ra8#",
    }
    for (fen, text), name in named.items():
        state = state_of(fen)
        move = contract.parse_move(GAME, state, text)
        assert san(GAME, state, move) == name and contract.parse_move(GAME, state, name) == move
    state = state_of("4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    assert contract.parse_move(GAME, state, "Ra1d1!?") == contract.parse_move(GAME, state, "a1d1")
    with pytest.raises(BadInput, match="move 'Rd1' may be any of "):
        contract.parse_move(GAME, state, "Rd1")
    for text in ("e1g1", "O-O", "Rad3", "Ra1xd1x", "rad1", "a1d1q", "", "--", "a7a8"):
        with pytest.raises(BadInput, match="is not legal here; legal: "):
            contract.parse_move(GAME, state, text)


def test_a_bishop_is_no_file():
    """Capital B is the piece, small b the file: all names that we write are read as the moves that they name."""
    state = state_of("4k3/8/3B4/8/8/8/1P1B4/4K3 w - - 0 1")
    for text, wanted in (("B2b4", "d2b4"), ("B6b4", "d6b4"), ("b4", "b2b4"), ("b2b4", "b2b4"), ("B2B4", "b2b4")):
        assert uci(described(state, contract.parse_move(GAME, state, text))) == wanted
    assert san(GAME, state, contract.parse_move(GAME, state, "d2b4")) == "B2b4"
    for move in moves_of(state):
        assert contract.parse_move(GAME, state, san(GAME, state, move.number)) == move.number
    with pytest.raises(BadInput, match="is not legal here"):
        contract.parse_move(GAME, state_of("4k3/8/8/8/8/8/1P6/4K3 w - - 0 1"), "B2b4")


def test_capitals_of_uci():
    """Both squares, as GTP writes points, or the promotion alone."""
    state = state_of("1n5k/P7/8/8/8/8/4P3/K7 w - - 0 1")
    for text, same in (("E2E4", "e2e4"), ("a7b8Q", "a7b8q"), ("A7B8N", "a7b8n"), ("A7A8r", "a7a8r")):
        assert contract.parse_move(GAME, state, text) == contract.parse_move(GAME, state, same)


def test_castling_with_zeros():
    state = state_of(BOTH)
    assert contract.parse_move(GAME, state, "0-0") == contract.parse_move(GAME, state, "e1g1")
    assert contract.parse_move(GAME, state, "0-0-0+") == contract.parse_move(GAME, state, "e1c1")


def test_board_text():
    drawn = contract.board_text(GAME, state_of("4k3/8/8/8/8/8/5q2/4K3 w - - 0 1")).splitlines()
    assert drawn[0] == "8 . . . . k . . ." and drawn[6] == "2 . . . . . q . ." and drawn[8] == "  a b c d e f g h"
    assert drawn[9] == "White to move, in check" and len(drawn) == 10


def test_black_sees_the_board_from_his_side():
    """A position and its mirror image with colours exchanged have the same moves and evaluation."""
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQ - 0 1"
    mirrored = "/".join(reversed(fen.split()[0].swapcase().split("/"))) + " b kq - 0 1"
    here, there = state_of(fen), state_of(mirrored)
    assert tuple(here[:4]) == tuple(there[:4])
    assert [uci(m) for m in moves_of(here)] == [
        text.translate(str.maketrans("12345678", "87654321")) for text in map(uci, moves_of(there))
    ]
    for kind in ("michniewski", "pesto"):
        game = options.compiled(Chess(evaluation=kind))
        assert contract.evaluation(game, here) == contract.evaluation(game, there)
