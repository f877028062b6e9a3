"""How much work goes into one compiled call."""

import threading

import pytest

from gpumcts.call_size import SECONDS_A_CALL, Shares, next_size


def test_the_size_after_many_short_runs_is_bounded():
    size = 1
    for _ in range(1000):
        size = next_size(size, min(size, 5), 1e-9)
    assert size == 40
    assert next_size(100, 100, 10 * SECONDS_A_CALL) == 10 and next_size(1, 1, 1e9) == 1


@pytest.mark.parametrize("threads", [1, 3])
def test_every_unit_is_handed_out_once(threads):
    shares, taken = Shares(1000, 7, threads), []

    def take():
        while (share := shares.take()) is not None:
            taken.extend(range(share.start, share.stop))
            shares.took(share, 0.0)

    workers = [threading.Thread(target=take) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(taken) == list(range(1000)) and shares.take() is None


def test_quick_shares_double_and_the_last_ones_are_small():
    shares, sizes = Shares(100, 4, 2), []
    while (share := shares.take()) is not None:
        sizes.append(share.stop - share.start)
        shares.took(share, 0.4 * SECONDS_A_CALL if len(sizes) < 3 else SECONDS_A_CALL)
    assert sizes[:3] == [4, 8, 16] and sizes[3:] == [16, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1]


def test_slow_shares_keep_their_size():
    shares = Shares(20, 5, 1)
    sizes = []
    while (share := shares.take()) is not None:
        sizes.append(share.stop - share.start)
        shares.took(share, SECONDS_A_CALL)
    assert sizes == [5, 5, 5, 5]
