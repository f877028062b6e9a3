"""What experiments.search shows of a position with many moves."""

import json
import re


def test_a_search_shows_its_most_visited_moves_and_keeps_all(run, only):
    done = run("search game=go budget.iterations=200 threads=1")
    moves = json.loads(only("outputs/search/*/summary.json").read_text())["moves"]
    shown = [line.split()[0] for line in done.out.splitlines() if re.match(r" \S+ +\d+ +0\.\d{4} ", line)]
    assert len(moves) == 82 and shown == [row["move"] for row in moves[:10]]
    assert f"and 72 others with {sum(row['visits'] for row in moves[10:])} visits, in summary.json" in done.out
