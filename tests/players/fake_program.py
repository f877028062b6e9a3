"""A program that speaks GTP and plays Dots and Boxes 2 x 2, well or badly: ``fake_program.py MODE [FLAG [LOG]]``.

It fails as MODE says when it is asked for its second move; with a file FLAG only the first process to come there does.
"""

import os
import sys
import time

DOTS = [(c, r) for r in "123" for c in "abc"]
LINES = [f"{a}{r}{b}{r}" for r in "123" for a, b in ("ab", "bc")] + [
    f"{c}{r}{c}{s}" for c in "abc" for r, s in ("12", "23")
]


def spoils(flag: str) -> bool:
    if not flag:
        return True
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def fail(mode: str) -> None:
    if mode == "crash":
        print("out of luck", file=sys.stderr)
        sys.stderr.flush()
        os._exit(3)
    elif mode == "killed":
        os.kill(os.getpid(), 9)
    elif mode == "hang":
        time.sleep(600)
    elif mode == "slow":
        time.sleep(0.3)
    elif mode == "flood":
        while True:
            os.write(1, b"x" * 100_000)
    elif mode == "chatter":
        while True:
            os.write(1, b"= a1\n" * 1000)


def main(mode: str, flag: str = "", log: str = "") -> None:
    played, asked = [], 0
    sys.stdout.reconfigure(encoding="utf-8")
    if mode == "dies":
        print("no licence", file=sys.stderr)
        sys.exit(1)
    for line in sys.stdin:
        words = line.split()
        if log:
            with open(log, "a") as file:
                file.write(f"{os.getpid()} {line}")
        answer = "="
        if words[0] == "clear_board":
            played, asked = [], 0
        elif words[0] == "boardsize" and mode == "size":
            answer = "? unacceptable size"
        elif words[0] == "play":
            played.append(words[2])
        elif words[0] == "known_command":
            answer = "= true"
        elif words[0] == "genmove":
            asked += 1
            move = next(line for line in LINES if line not in played)
            if asked == 2 and mode != "good" and spoils(flag):
                fail(mode)
                answer = {
                    "garbage": "\x1b[1mI think " + move,
                    "illegal": "= " + (played[0] if played else "a1c3"),
                    "refuse": "? no idea",
                    "resign": "= resign",
                    "foreign": "= \u00e9",
                    "empty": "=",
                    "unasked": f"= {move}\n\nby the way",
                }.get(mode, f"= {move}")
            else:
                answer = f"= {move}"
            played.append(move)
        elif words[0] in ("name", "version"):
            answer = {"name": "= Fake", "version": "= 1"}[words[0]]
        print(answer + "\n", flush=True)
        if words[0] == "quit":
            return


main(*sys.argv[1:])
