"""Mistakes to plant in the game of ``heap.py``: what to replace by what, where it is told, and in which words."""

COUNTED = "@contract.count_moves.implements(Heap)\ndef heap_count_moves(game, state):\n" + (
    "    return np.int64(min(state.left, U(3)))\n"
)
NUMBERED = "@contract.nth_move.implements(Heap)\ndef heap_nth_move(game, state, k):\n    return np.int64(k + 1)\n"
SCORED = "@contract.score.implements(Heap)\n"


def body(verb: str, arguments: str, *lines: str) -> tuple[str, str]:
    """A body of one more verb, before that of ``score``."""
    kind = "playouts.whole_playout.implements(Uniform, " if verb == "whole_playout" else f"contract.{verb}.implements("
    text = "\n    ".join([f"@{kind}Heap)\ndef heap_{verb}({arguments}):", *lines])
    return SCORED, f"{text}\n\n\n{SCORED}"


PLAYED = (
    "from gpumcts.games.contract import SCORE_UNIT\n",
    "from gpumcts.games.contract import SCORE_UNIT\nfrom gpumcts.playouts import contract as playouts\n"
    "from gpumcts.playouts.uniform import Uniform\n",
)
PACKED = ("pack", "game, state, words, at, stride")
UNPACKED = (
    "@contract.unpack.implements(Heap)\ndef u(game, words, at, stride):\n    return State(words[0], words[1])\n\n\n"
)
LISTED = ("write_moves", "game, state, count, out, at")
OF_FURTHER_VERBS = {
    "packed_at_the_beginning": (
        [
            body(*PACKED, "words[0], words[1] = state"),
            ("@contract.start", f"{UNPACKED}@contract.start"),
        ],
        "@contract.pack",
        "pack writes beyond words[at + i * stride], i from 0 to 1",
    ),
    "packed_beyond": (
        [body(*PACKED, "for i in range(3):", "    words[at + i * stride] = state.left if i == 0 else state.turn")],
        "@contract.pack",
        "pack writes beyond words[at + i * stride], i from 0 to 1",
    ),
    "unpacked_from_beside": (
        [body("unpack", "game, words, at, stride", "return State(words[at], words[at + stride] + words[at + 1])")],
        "@contract.unpack",
        "of what pack wrote of (21, 0)",
    ),
    "moves_left_out": (
        [body(*LISTED, "for k in range(count - 1):", "    out[at + k] = k + 1")],
        "@contract.write_moves",
        "write_moves leaves out move number 2 of 3",
    ),
    "moves_at_the_beginning": (
        [body(*LISTED, "for k in range(count):", "    out[k] = k + 1")],
        "@contract.write_moves",
        "write_moves writes beyond out[at : at + count], count being 3 there",
    ),
    "moves_beyond": (
        [body(*LISTED, "for k in range(3):", "    out[at + k] = k + 1")],
        "@contract.write_moves",
        "write_moves writes beyond out[at : at + count], count being 2 there",
    ),
    "moves_of_another_order": (
        [body(*LISTED, "for k in range(count):", "    out[at + k] = count - k")],
        "@contract.write_moves",
        "write_moves gives 3 as number 0, nth_move gives 1",
    ),
    "move_after": (
        [body("move_after", "game, state, move, k", "return np.int64(k)")],
        "@contract.move_after",
        "move_after gives 0 as number 0, nth_move gives 1",
    ),
    "move_after_by_a_plain_function": (
        [
            body("move_after", "game, state, move, k", "return np.int64(more(k))"),
            ("OPTION = Heap\n", "OPTION = Heap\n\n\ndef more(k):\n    return k + 1\n"),
        ],
        "return np.int64(more(",
        "the name `more` is not known to compiled code: decorate it with @inlined of gpumcts.jit",
    ),
    "listed_by_a_plain_function": (
        [
            body(*LISTED, "for k in range(count):", "    out[at + k] = more(k)"),
            ("OPTION = Heap\n", "OPTION = Heap\n\n\ndef more(k):\n    return k + 1\n"),
        ],
        "out[at + k] = more(",
        "the name `more` is not known to compiled code: decorate it with @inlined of gpumcts.jit",
    ),
    "history": (
        [body("with_history", "game, state, earlier", "return np.int64(0)")],
        "@contract.with_history",
        "with_history returns int64, not a state: a NamedTuple of uint64",
    ),
    "playout_without_plies": (
        [PLAYED, body("whole_playout", "policy, game, state, key", "return np.int64(SCORE_UNIT)")],
        "@playouts.whole_playout",
        "whole_playout returns int64, not the score and the plies, int64 both",
    ),
    "score_of_a_playout": (
        [PLAYED, body("whole_playout", "policy, game, state, key", "return 2 * SCORE_UNIT, 1")],
        "@playouts.whole_playout",
        "whole_playout returns a score of 2097152, outside [-SCORE_UNIT, SCORE_UNIT]",
    ),
    "plies_of_a_playout": (
        [PLAYED, body("whole_playout", "policy, game, state, key", "return SCORE_UNIT, 61")],
        "@playouts.whole_playout",
        "whole_playout returns 61 plies from the start: 0 to MAX_PLIES, 60",
    ),
    "staged_move": (
        [body("staged_move", "game, state, stream", "return np.int64(3)")],
        "@contract.staged_move",
        "staged_move gives 3, which is not legal there: [1, 2]",
    ),
    "negative_weight": (
        [body("move_weight", "game, state, move", "return np.int64(move - 3)")],
        "@contract.move_weight",
        "move_weight of move 1 is -2: at least 0",
    ),
    "no_weight": (
        [body("move_weight", "game, state, move", "return np.int64(0)")],
        "@contract.move_weight",
        "move_weight is 0 for all moves of a position: [1, 2, 3]",
    ),
    "noise": (
        [body("noisy", "game, state, move", "return np.int64(60001)")],
        "@contract.noisy",
        "noisy returns 60001 for move 1: 0 to 60000",
    ),
    "decided": (
        [body("decided", "game, state", "return np.int64(2)")],
        "@contract.decided",
        "decided returns 2: 1, -1, or 0 where it is not known",
    ),
    "overrun": (
        [body("overrun", "game, state", "return 1")],
        "@contract.overrun",
        "overrun returns 1 after 0 plies, where count_moves returns 3",
    ),
    "overrun_at_the_end": (
        [body("overrun", "game, state", "return np.int64(contract.count_moves(game, state) == 0)")],
        "@contract.overrun",
        "overrun returns 1, where over answers 0 plies past the end",
    ),
    "evaluation_limit": (
        [body("evaluation_limit", "game", "return np.int64(1 << 40)")],
        "@contract.evaluation_limit",
        "evaluation_limit returns 1099511627776: 1 to 2^40 - 1",
    ),
    "first_colour": (
        [("    LANES = False\n", '    LANES = False\n    FIRST = "red"\n')],
        "class Heap",
        "Heap.FIRST = 'red': must be 'black' or 'white'",
    ),
    "cells": (
        [("    LANES = False\n", "    LANES = False\n    CELLS = -1\n")],
        "class Heap",
        "Heap.CELLS = -1: must be an integer in [0, 32767]",
    ),
}
MISTAKES = {
    "max_plies": (
        [("MAX_PLIES = 60", "MAX_PLIES = 5")],
        "class Heap",
        "Heap.MAX_PLIES = 5, but a random game was not over",
    ),
    "max_moves": ([("MAX_MOVES = 3", "MAX_MOVES = 2")], "class Heap", "Heap.MAX_MOVES = 2, but count_moves returns 3"),
    "words": (
        [("    MAX_PLIES = 60", "    WORDS = 3\n    MAX_PLIES = 60")],
        "@contract.state_of",
        "Heap.WORDS = 3, but its states have 2 words",
    ),
    "type_error": (
        [("U(move), state.turn ^ U(1)", "U(move), state.turn ^ 'a'")],
        "return State(state.left - U(move)",
        "play raised ",
    ),
    "plain_zero": (
        [("U(move), state.turn ^ U(1)", "U(move), state.turn ^ U(1) | (state.turn if state.turn > U(5) else 0)")],
        "return State(state.left - U(move)",
        "a plain integer beside a uint64 makes a float64; write np.uint64(0) for 0",
    ),
    "undefined_name": (
        [("np.int64(min(state.left, U(3)))", "np.int64(min(state.left, most))")],
        "return np.int64(min(",
        "count_moves raised NameError: name 'most' is not defined",
    ),
    "ends_the_program": (
        [("np.int64(min(state.left, U(3)))", "exit(0)")],
        "return exit(",
        "count_moves raised SystemExit: 0",
    ),
    "field_type": (
        [("U(move), state.turn ^ U(1))", "U(move), np.int64(1 - state.turn))")],
        "@contract.play",
        "play returns State(uint64, int64), start returns State(uint64 x 2): field `turn`",
    ),
    "no_state_at_first": (
        [("return State(U(game.stones), U(0))", "State(U(game.stones), U(0))")],
        "@contract.start",
        "start returns nothing: not a NamedTuple of np.uint64",
    ),
    "a_tuple_at_first": (
        [("return State(U(game.stones), U(0))", "return U(game.stones), U(0)")],
        "@contract.start",
        "start returns tuple: not a NamedTuple of np.uint64",
    ),
    "a_number_at_first": (
        [("return State(U(game.stones), U(0))", "return U(game.stones)")],
        "@contract.start",
        "start returns uint64: not a NamedTuple of np.uint64",
    ),
    "a_list_after_a_move": (
        [("return State(state.left - U(move), state.turn ^ U(1))", "return [state.left - U(move), state.turn ^ U(1)]")],
        "@contract.play",
        "play returns list: not a NamedTuple of np.uint64",
    ),
    "plain_integers_from_text": (
        [("return State(U(int(left)), U(int(turn)))", "return State(int(left), int(turn))")],
        "@contract.parse_position",
        "parse_position returns State(int64 x 2), start returns State(uint64 x 2): field `left`",
    ),
    "forgotten_verb": (
        [("@contract.score.implements(Heap)\n", "")],
        "class Heap",
        "Heap has no body of score: write one, @contract.score.implements",
    ),
    "state_not_named": ([("@contract.state_of(Heap)\n", "")], "class Heap", "nothing says what states of Heap are"),
    "arguments": (
        [("def heap_mover(game, state):", "def heap_mover(state, game):")],
        "@contract.mover",
        "TypeError: mover: a body takes (game, state)",
    ),
    "unsigned": (
        [("return np.int64(state.turn)", "return state.turn")],
        "@contract.mover",
        "mover returns uint64, not int64: wrap it, np.int64(...)",
    ),
    "no_return": (
        [("return np.int64(state.turn)", "np.int64(state.turn)")],
        "@contract.mover",
        "mover returns nothing, not int64: give each way through it a return",
    ),
    "order": (
        [("return np.int64(k + 1)", "return np.int64(3 - k)")],
        "@contract.nth_move",
        "nth_move gives move 2 after 3: moves rise, from 0 to 2^31 - 1",
    ),
    "revived": (
        [
            (
                "        return state\n    return State(state.left",
                "        return State(U(3), state.turn)\n    return State(state.left",
            )
        ],
        "@contract.play",
        "playing on from a finished game revives it: return the state as it is where the game is over",
    ),
    "score": (
        [
            (
                "-SCORE_UNIT if state.turn == U(0) else SCORE_UNIT",
                "-2 * SCORE_UNIT if state.turn == U(0) else SCORE_UNIT",
            )
        ],
        "@contract.score",
        "score returns -2097152, outside [-SCORE_UNIT, SCORE_UNIT]",
    ),
    "over": (
        [
            (
                "@contract.score",
                "@contract.over.implements(Heap)\ndef heap_over(game, state):\n    return False\n\n\n@contract.score",
            )
        ],
        "@contract.over",
        "over answers no where count_moves returns 0, and 64 plies later: no playout would end",
    ),
    "texts": (
        [("State(U(int(left)), U(int(turn)))", "State(U(int(left)), U(0))")],
        "@contract.parse_position",
        "parse_position gives another state than position_text wrote",
    ),
    "move_text": (
        [('f"take{move}"', '"abc"[move]')],
        'return "abc"[move]',
        "move_text raised IndexError: string index out of range",
    ),
    "no_text": ([('return f"take{move}"', "return move")], "@contract.move_text", "move_text returns int, not text"),
    "named_moves": (
        [
            ("    LANES = False\n", "    LANES = False\n    NAMED_MOVES = True\n"),
            ('f"take{move}"', 'f"{move} of {int(state.left)}"'),
        ],
        "@contract.move_text",
        "move_text gives '1 of 19' for move 1, and '1 of 21' in an earlier position: no Heap.NAMED_MOVES = True",
    ),
    "named_moves_are_none": (
        [("    LANES = False\n", "    LANES = False\n    NAMED_MOVES = None\n")],
        "class Heap",
        "Heap.NAMED_MOVES = None: must be True or False",
    ),
    "board_text": (
        [('"o" * int(state.left)', '"o" * state.stones')],
        'return "o" * state.stones',
        "board_text raised AttributeError: 'State' object has no attribute 'stones'",
    ),
    "players": ([("PLAYERS = 2", "PLAYERS = 1")], "@contract.mover", "mover returns 1, and Heap.PLAYERS = 1"),
    "missing_attribute": ([("    LANES = False\n", "")], "class Heap", "Heap has no LANES: say it in the class"),
    "syntax": (
        [("    return np.int64(k + 1)", "    return np.int64(k + 1")],
        "return np.int64(k + 1",
        "SyntaxError: '('",
    ),
    "compiled_alone": (
        [
            (
                "return np.int64(k + 1)",
                "return np.int64([k + 1, 0][0] if isinstance(state.left, dict) else sorted([k + 1])[0])",
            )
        ],
        "return np.int64([k",
        "nth_move does not compile: ",
    ),
    "branch_of_another_type": (
        [("return np.int64(state.turn)", "return np.int64(state.turn) if state.left < U(99) else 0.5")],
        "@contract.mover",
        "mover returns float64, not int64: wrap it, np.int64(...)",
    ),
    "plain_function": (
        [
            ("np.int64(min(state.left, U(3)))", "np.int64(min(state.left, three()))"),
            ("OPTION = Heap\n", "OPTION = Heap\n\n\ndef three():\n    return U(3)\n"),
        ],
        "return np.int64(min(",
        "the name `three` is not known to compiled code: decorate it with @inlined of gpumcts.jit",
    ),
    "number_among_the_moves": (
        [
            (NUMBERED, ""),
            (COUNTED, "@moves.from_word(Heap)\ndef heap_moves(game, state):\n    return (1 << int(state.left)) - 1\n"),
            ("from gpumcts.games import contract\n", "from gpumcts.games import contract, moves\n"),
        ],
        "@moves.from_word",
        "the set of moves is int64, not uint64: wrap numbers, U(1)",
    ),
    "number_among_words_of_moves": (
        [
            (NUMBERED, ""),
            (
                COUNTED,
                "@moves.from_set(Heap)\ndef heap_moves(game, state):\n    return sets.Two(U(1) << state.left, 0)\n",
            ),
            ("from gpumcts.games import contract\n", "from gpumcts.games import contract, moves, sets\n"),
        ],
        "@moves.from_set",
        "the set of moves is Two(uint64, int64), not a NamedTuple of uint64: wrap numbers, U(1)",
    ),
    "number_among_the_moves_now_and_then": (
        [
            (NUMBERED, ""),
            (
                COUNTED,
                "@moves.from_word(Heap)\ndef heap_moves(game, state):\n"
                "    found = ((U(1) << min(state.left, U(3))) - U(1)) << U(1)\n"
                "    return found + (0 if game.stones < 99 else 1)\n",
            ),
            ("from gpumcts.games import contract\n", "from gpumcts.games import contract, moves\n"),
        ],
        "@moves.from_word",
        "the set of moves is int64, not uint64: wrap numbers, U(1)",
    ),
    "a_win_of_one": (
        [("SCORE_UNIT if", "np.int64(1) if")],
        "@contract.score",
        "score returns -1: a whole win is SCORE_UNIT, 1048576",
    ),
    "default_of_a_state": (
        [("    turn: np.uint64\n", "    turn: np.uint64\n    plies: np.uint64 = U(0)\n")],
        "@contract.start",
        "start returns State(uint64 x 2): field `plies` is left out, and compiled code has no default for it",
    ),
}
