"""A program that speaks UCI and plays Dots and Boxes 2 x 2, well or badly: ``fake_uci_program.py MODE [FLAG [LOG]]``.

It fails as MODE says when it is asked for its second move of a game; with a file FLAG only the first process to come
there does.
"""

import os
import sys
import time

LINES = [f"{a}{r}{b}{r}" for r in "123" for a, b in ("ab", "bc")] + [
    f"{c}{r}{c}{s}" for c in "abc" for r, s in ("12", "23")
]
SAYS = """id name Fake 1
id author nobody
option name Hash type spin default 16 min 1 max 64
option name Own Book type check default false
option name Style type combo default solid var solid var wild play
option name Clear Hash type button
option name File type string default <empty>
option name UCI_Variant type combo default dots_and_boxes var dots_and_boxes
hello
uciok"""


def spoils(flag: str) -> bool:
    if not flag:
        return True
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def fail(mode: str, move: str, played: list[str]) -> str:
    if mode == "crash":
        print("out of luck", file=sys.stderr)
        sys.stderr.flush()
        os._exit(3)
    elif mode == "killed":
        os.kill(os.getpid(), 9)
    elif mode == "hang":
        time.sleep(600)
    elif mode == "late":
        assert sys.stdin.readline() == "stop\n"
    elif mode == "flood":
        while True:
            os.write(1, b"x" * 100_000)
    elif mode == "chatter":
        while True:
            os.write(1, b"bestmoves\n" * 1000)
    elif mode == "infos":
        while True:
            os.write(1, (b"info string " + b"x" * 10_000 + b"\n") * 10)
    return {
        "garbage": "bestmove \x1b[1mI think",
        "illegal": f"bestmove {played[0] if played else 'a1c3'}",
        "none": "bestmove (none)",
        "null": "bestmove 0000 ponder 0000",
        "empty": "bestmove",
        "twice": f"bestmove {move}\nbestmove {played[0] if played else 'a1c3'}",
    }.get(mode, f"bestmove {move}")


def main(mode: str, flag: str = "", log: str = "") -> None:
    played, asked = [], 0
    if mode == "dies":
        print("no licence", file=sys.stderr)
        sys.exit(1)
    for line in sys.stdin:
        words = line.split()
        if log:
            with open(log, "a") as file:
                file.write(f"{os.getpid()} {line}")
        if words[0] == "uci" and mode != "mute":
            print(SAYS)
        elif words[0] == "isready":
            print("info string all set\nreadyok")
        elif words[0] == "ucinewgame":
            asked = 0
        elif words[0] == "position":
            assert words[1] == "startpos" and words[2:3] in ([], ["moves"])
            played = words[3:]
        elif words[0] == "go":
            asked += 1
            move = next(line for line in LINES if line not in played)
            print(f"info depth 1 score cp 12 pv {move}\nwhatever")
            answer = f"bestmove {move} ponder {move}"
            if asked == 2 and mode != "good" and spoils(flag):
                sys.stdout.flush()
                answer = fail(mode, move, played)
            print(answer)
        elif words[0] == "quit":
            return
        sys.stdout.flush()


main(*sys.argv[1:])
