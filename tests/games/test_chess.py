"""Chess against published perft counts, python-chess, OpenSpiel and plain Python.

OpenSpiel ends games by the same rules (fifty moves at 100 plies, bare kings, one minor piece more, bishops of one
colour), and at the third occurrence of a position in playouts too, as we do in games that are played and, with
game.repetition=everywhere, in playouts. So of one random game it sees the same plies up to its third occurrence of a
position: our uniform playouts are longer by that alone.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from gpumcts import options
from gpumcts.games import contract
from gpumcts.games.chess import Chess
from gpumcts.games.chess.fen import fen_of
from gpumcts.games.chess.pieces import BLACK, BYTE, PASSANT, RIGHTS, clock
from gpumcts.games.chess.san import moves_of, of_san, san, uci
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.contract import play_out
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import PLY_STEP, key_of
from tests.games import drivers
from tests.games.chess_drivers import GAME, LOCKED, code_of, evaluations, marks, seen, trace_from, whole

DATA = Path(os.environ.get("GPUMCTS_DATA", ""))
PERFT = {  # chessprogramming.org, "Perft Results"
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (20, 400, 8902, 197281, 4865609, 119060324),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (48, 2039, 97862, 4085603, 193690690),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (14, 191, 2812, 43238, 674624, 11030083, 178633661),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (6, 264, 9467, 422333, 15833292, 706045033),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1486, 62379, 2103487, 89941194),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (46, 2079, 89890, 3894594, 164075551),
}
QUICK_LEAVES = 5_000_000
QUEEN = "8/8/4k3/8/8/3K4/Q7/8 b - - 20 40"

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def position(fen):
    return contract.parse_position(GAME, fen)


# ------------------------------------------------------------------------------------------------------------- perft


@pytest.mark.parametrize(
    ("fen", "depth"),
    [
        pytest.param(fen, depth, marks=[pytest.mark.slow] if count > QUICK_LEAVES else [])
        for fen, counts in PERFT.items()
        for depth, count in enumerate(counts, 1)
    ],
)
def test_perft(fen, depth):
    rules = Rules(GAME)
    assert rules.perft(rules.words(position(fen)), depth) == PERFT[fen][depth - 1]


def test_the_file_of_perft_positions_says_the_same():
    file = DATA / "cpw_perft.epd"
    if not file.exists():
        pytest.skip(f"no {file}")
    for line in file.read_text().splitlines():
        fen, *told = line.split(" ;")
        counts = [int(part.split()[1]) for part in told]
        known = PERFT[fen][: len(counts)]
        assert list(known) == counts[: len(known)]


# -------------------------------------------------------------------------------------------------------- python-chess


def compare_with_python_chess(first, games, fens, names, thirds):
    """Random games: at every ply moves, check, end; FEN, names of moves and third occurrences in some of the games."""
    chess = pytest.importorskip("chess")
    words, moves, plies = drivers.trace(GAME, drivers.keys_of(30, count=first + games)[first:])
    states = drivers.positions(words, plies)
    numbers, legal, _ = drivers.described(GAME, states, np.zeros(len(states), np.uint64))
    codes, checks = seen(states, legal)
    third = marks(words, plies)
    row = 0
    for g in range(games):
        board, code = chess.Board(), -1
        for ply in range(plies[g] + 1):
            count = numbers[row, 0]
            theirs = sorted(map(code_of, board.legal_moves))
            drawn = board.halfmove_clock >= 100 or board.is_insufficient_material()
            assert sorted(codes[row, :count].tolist()) == ([] if drawn else theirs), board.fen()
            assert checks[row] == board.is_check() and numbers[row, 1] == (not board.turn)
            if g % thirds == 0:
                assert third[g, ply] == board.is_repetition(3), board.fen()
            if g % fens == 0:
                state = contract.unpack(GAME, words[g, ply], 0, 1)
                assert fen_of(state) == board.fen(en_passant="xfen") and position(fen_of(state)) == state
            if count == 0:
                break
            code = int(codes[row, legal[row, :count].tolist().index(moves[g, ply])])
            move = chess.Move(code & 63, code >> 6 & 63, (code >> 12) or None)
            if g % names == 0:
                state, name = contract.unpack(GAME, words[g, ply], 0, 1), board.san(move)
                assert san(GAME, state, int(moves[g, ply])) == name
                assert [m.number for m in of_san(state, name)] == [moves[g, ply]]
            board.push(move)
            row += 1
        assert ply == plies[g]
        mated = board.is_checkmate()
        assert numbers[row, 3] == (SCORE_UNIT * (-1 if board.turn else 1) if mated else 0)
        row += 1
    assert row == len(states)


def test_move_by_move_against_python_chess():
    compare_with_python_chess(0, 60, fens=6, names=10, thirds=6)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(60, 10_060, 100))
def test_ten_thousand_games_against_python_chess(first):
    compare_with_python_chess(first, 100, fens=1, names=4, thirds=4)


def test_names_of_all_moves_in_perft_positions():
    """All moves a ply after the six positions: their names as python-chess has them, and what each name means."""
    chess = pytest.importorskip("chess")
    for fen in PERFT:
        for first in moves_of(position(fen)):
            state = contract.play(GAME, position(fen), np.int64(first.number))
            board = chess.Board(fen_of(state))
            named = {uci(m): san(GAME, state, m.number) for m in moves_of(state)[::5]}
            assert named == {text: board.san(chess.Move.from_uci(text)) for text in named}


@pytest.mark.parametrize("fen", [LOCKED, LOCKED.replace("w", "b")])
def test_third_occurrences_against_python_chess(fen):
    """Random end games, which come back often; python-chess goes on, as the trace does, where the rule ends a game."""
    chess = pytest.importorskip("chess")
    words, moves, plies = trace_from(position(fen), drivers.keys_of(31, count=30))
    third = marks(words, plies)
    for g in range(len(plies)):
        board = chess.Board(fen)
        for ply in range(plies[g]):
            assert third[g, ply] == board.is_repetition(3)
            text = contract.move_text(GAME, contract.unpack(GAME, words[g, ply], 0, 1), moves[g, ply])
            board.push(chess.Move.from_uci(text))
    assert third.any()


# ------------------------------------------------------------------------------------------------------------ OpenSpiel


def compare_with_openspiel(first, games):
    """Numbers of moves, movers and results, up to OpenSpiel's end; plies it ends before us, all by repetition."""
    pyspiel = pytest.importorskip("pyspiel")
    words, moves, plies = drivers.trace(GAME, drivers.keys_of(30, count=first + games)[first:])
    rules, third = Rules(GAME), marks(words, plies)
    earlier = 0
    for g in range(games):
        counts, movers = rules.describe(words[g, : plies[g] + 1])
        other = pyspiel.load_game("chess").new_initial_state()
        for ply in range(plies[g] + 1):
            if third[g, ply]:
                assert other.is_terminal() and other.is_repetition_draw() and other.returns()[0] == 0
                earlier += plies[g] - ply
                break
            assert len(other.legal_actions()) == counts[ply]
            if counts[ply] == 0:
                assert other.is_terminal()
                assert other.returns()[1] * SCORE_UNIT == rules.scores(words[g, ply : ply + 1])[0]
                break
            # OpenSpiel numbers players the other way: its Black is 0.
            assert other.current_player() == 1 - movers[ply]
            text = contract.move_text(GAME, contract.unpack(GAME, words[g, ply], 0, 1), moves[g, ply])
            other.apply_action(other.parse_move_to_action(text))
    return earlier


def test_move_by_move_against_openspiel():
    compare_with_openspiel(0, 12)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 400, 50))
def test_more_games_against_openspiel(first):
    compare_with_openspiel(first, 50)


# ------------------------------------------------------------------------------------------------------------- playouts


def plain_playout(state, key):
    """(score, plies) of a uniform playout that looks back, by a list of what has been on the board."""
    seen_before, plies, stream = [], 0, key
    while True:
        same = (state.own, state.low, state.middle, state.high, state.turn & (BLACK | RIGHTS | BYTE << PASSANT))
        seen_before = [] if clock(state) == 0 else seen_before
        seen_before.append(same)
        if contract.count_moves(GAME, state) == 0:
            return int(contract.score(GAME, state)), plies
        if seen_before.count(same) == 3:
            return 0, plies
        state = contract.play(GAME, state, contract.random_move(GAME, state, stream))
        stream, plies = stream + PLY_STEP, plies + 1


@pytest.mark.slow
@pytest.mark.parametrize(("fen", "count"), [(LOCKED, 30), (QUEEN, 8), (next(iter(PERFT)), 3)])
def test_playouts_that_look_back_against_a_list(fen, count):
    looks_back, keys = options.compiled(Chess(repetition="everywhere")), drivers.keys_of(32, count=count)
    start = position(fen)
    found = whole(looks_back, Uniform(), start, keys)
    assert found == [plain_playout(start, key) for key in keys]
    if fen == LOCKED:
        assert found != whole(GAME, Uniform(), start, keys), "the rule ended no playout"


def test_a_third_occurrence_on_the_last_ply_before_the_cut_is_a_draw():
    """As mate on that ply wins; every other playout is worth the evaluation where it was cut."""
    looks_back, keys, start = options.compiled(Chess(repetition="everywhere")), drivers.keys_of(36, count=4000), LOCKED
    words, _, plies = trace_from(position(start), keys, room=10)
    third, cut_after = marks(words, plies), Uniform(truncate=8)
    assert third[:, 8].any() and not third[:, :8].any()
    found, judged = (np.array(whole(game, cut_after, position(start), keys)) for game in (looks_back, GAME))
    assert judged[:, 0].all(), "no evaluation is that of a draw"
    assert np.array_equal(found[:, 0], np.where(third[:, 8], 0, judged[:, 0]))
    assert (found[:, 1] == 8).all() and (judged[:, 1] == 8).all()


def leaves(count):
    """Positions of random games, mates and draws among them, and their keys."""
    words, _, plies = drivers.trace(GAME, drivers.keys_of(33, count=4))
    rows = drivers.positions(words, plies)
    return np.ascontiguousarray(rows[:: max(1, len(rows) // count)][:count]), drivers.keys_of(34, count=count)


@pytest.mark.slow  # 16 lanes are among the quick tests of playouts
@pytest.mark.parametrize("lanes", [8, 16, 32])
def test_playouts_in_lanes_are_those_one_by_one(lanes):
    states, keys = leaves(90)
    one_by_one = np.stack(CpuPlayouts(GAME, Uniform(), lanes=1).tally(states, keys, 3))
    assert np.array_equal(np.stack(CpuPlayouts(GAME, Uniform(), lanes=lanes).tally(states, keys, 3)), one_by_one)


def test_playouts_in_plain_python():
    states, keys = leaves(6)
    for row, key in zip(states, keys, strict=True):
        start = contract.unpack(GAME, row, 0, 1)
        last, plies = play_out(GAME, Uniform(), start, key)
        result = int(contract.score(GAME, last)), int(plies - contract.overrun(GAME, last))
        assert whole(GAME, Uniform(), start, np.array([key])) == [result]


def test_lengths_of_random_games():
    """Uniform playouts against random games of python-chess 1.11.2 by the same rules.

    LENGTH: mean of MANY such games, made with ``random.Random(7)``. Five standard errors of both: a right program fails
    with a probability below 1e-6.
    """
    found = np.array(
        [plies for _, plies in whole(GAME, Uniform(), contract.start(GAME), drivers.keys_of(35, count=4000))]
    )
    error = found.std() * np.sqrt(1 / len(found) + 1 / MANY)
    assert abs(found.mean() - LENGTH) < 5 * error


LENGTH, MANY = 341.7, 1500


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["michniewski", "pesto"])
def test_the_limit_of_the_evaluation_is_the_largest_of_10_000_random_games(kind):
    """Of seed 1; by it UCT-H is rescaled. All positions, not over, count, about 340 a game."""
    game, count, largest = options.compiled(Chess(evaluation=kind)), 0, 0
    rules = Rules(game)
    states, keys = rules.starts(10_000), np.array([key_of(1, number) for number in range(10_000)], np.uint64)
    while len(states):
        largest, count = max(largest, int(np.abs(evaluations(game, states)).max())), count + len(states)
        states = rules.play(states, rules.random_moves(states, keys))
        going = rules.count_moves(states) > 0
        states, keys = states[going], keys[going] + PLY_STEP
    assert largest == contract.evaluation_limit(game) and 3_400_000 < count < 3_450_000
