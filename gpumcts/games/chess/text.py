"""Moves, boards and positions as people and programs write them: UCI moves, SAN, FEN."""

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.chess.fen import fen_of, letters_of, plies_before, state_of
from gpumcts.games.chess.moves import in_check
from gpumcts.games.chess.options import Board
from gpumcts.games.chess.pieces import BLACK
from gpumcts.games.chess.san import described, moves_of, of_san, of_uci, uci

SHOWN = 40


@contract.move_text.implements(Board)
def chess_move_text(game, state, move):
    return uci(described(state, int(move)))


@contract.parse_move.implements(Board)
def chess_parse_move(game, state, text):
    """UCI, as ``e2e4``, or algebraic, as ``Nf3``."""
    over = contract.over(game, state)
    found = [] if over else of_uci(state, text) or of_san(state, text)
    if len(found) == 1:
        return found[0].number
    moves = [] if over else moves_of(state)
    legal = " ".join([uci(m) for m in moves[:SHOWN]] + (["..."] if len(moves) > SHOWN else []))
    meant = "may be any of " + " ".join(map(uci, found)) if found else "is not legal here"
    raise BadInput(f"move {text!r} {meant}; legal: {legal or 'none, the game is over'}")


@contract.board_text.implements(Board)
def chess_board_text(game, state):
    letters = letters_of(state)
    rows = [f"{rank + 1} " + " ".join(letters[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1)]
    to_move = "Black" if int(state.turn & BLACK) else "White"
    check = ", in check" if in_check(state) else ""
    return "\n".join([*rows, "  a b c d e f g h", f"{to_move} to move{check}"])


@contract.position_text.implements(Board)
def chess_position_text(game, state):
    """FEN. A square of en passant stands in it only where a pawn stands ready to take there."""
    return fen_of(state)


@contract.parse_position.implements(Board)
def chess_parse_position(game, text):
    """FEN; ``startpos`` is the start. EPD without clocks is one with a clock of 0 and move number 1."""
    state = contract.start(game) if text.strip() == "startpos" else state_of(text)
    if plies_before(state) > game.max_plies:
        raise BadInput(
            f"position: it is ply {plies_before(state)} of the game, which game.max_plies={game.max_plies} ends before"
        )
    return state
