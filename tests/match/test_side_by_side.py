"""Matches of one process beside each other."""

import sys
import threading

import pytest


def test_matches_beside_each_other_leave_pythons_threads_as_they_were(play, tmp_path):
    """The second begins while the first goes on, and ends after it."""
    before, begun, first_is_over = sys.getswitchinterval(), threading.Event(), threading.Event()

    def linger(progress):
        if progress.moves:
            begun.set()
            first_is_over.wait(10)

    other = threading.Thread(target=lambda: play(tmp_path / "other", 1, on_progress=linger))

    def wait(progress):
        if progress.moves and not begun.is_set():
            other.start()
            begun.wait(10)

    play(tmp_path / "first", 1, on_progress=wait)
    assert sys.getswitchinterval() < before / 2
    first_is_over.set()
    other.join()
    assert sys.getswitchinterval() == pytest.approx(before, rel=0.01)
