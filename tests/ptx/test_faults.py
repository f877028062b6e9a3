"""What the emulator is for: planted faults end the process with one line that names them, and sound code does not."""

import json
import re

import pytest

from tests.ptx import planted_warps
from tests.ptx.planted import PROGRAMS
from tests.ptx.running import FAULT_EXIT, python

PLACE = r"emulated device: PTX line \d+, block \d+, thread \d+: "
FAULTS = {
    "adding_without_atomics": PLACE
    + r"race: \w+ byte 0 of an allocation of 512, which .*thread.* of the launch \w+ .*",
    "adding_without_atomics_in_blocks": PLACE + r"race: \w+ byte 0 .* which thread [01] of the launch writes .*",
    "reading_what_another_writes": PLACE + "race: .*",
    "reading_what_another_adds_to": PLACE + "race: .*",
    "writing_a_byte_of_a_word": PLACE + "race: .* byte 3 .*",
    "past_the_end": PLACE + "reads 8 bytes out of bounds, at byte 512 of an allocation of 512 bytes .*",
    "before_the_beginning": PLACE + "writes 8 bytes .*",
    "half_past_the_end": PLACE + "reads 16 bytes out of bounds, at byte 0 of an allocation of 8 bytes .*",
    "nowhere": PLACE + r"reads 8 bytes at \(?(0|0x0|nil)\)?, which is no memory .*",
    "after_it_was_freed": PLACE + "reads 8 bytes out of bounds, at byte 0 of a freed allocation of 8 bytes .*",
    "misaligned": PLACE + "reads 8 bytes .*misaligned .*",
    "misaligned_vector": PLACE + "reads 16 bytes .*misaligned .*",
    "past_the_frame": PLACE + "8 bytes at byte 32 of a local memory of 32 .*",
    "misaligned_in_the_frame": PLACE + "8 bytes at byte 4 of local memory are misaligned .*",
    "past_a_table": PLACE + "reads 8 bytes at 0x[0-9a-f]+, which is no memory .*",
    "writing_a_table": PLACE + "writes table, which is constant .*",
    "freed_twice": "emulated device: memory at 0x[0-9a-f]+ is freed that is not an allocation",
    "copied_past_the_end": "emulated device: a copy from the device: 16 bytes at 0x[0-9a-f]+ are not in an allocation",
    "a_lane_has_ended": PLACE + r"lane \d+ waits for lane 31, which has ended .*",
    "a_warp_is_not_full": PLACE + r"lane \d+ waits for lane 31, which there is not .*",
    "lanes_at_two_places": PLACE + r"lane \d+ waits for lane \d+, which waits in line \d+ .*",
    "lanes_of_two_minds": PLACE + r"lane \d+ waits for lane 0, which has ended .*",
    "a_lane_not_in_its_mask": PLACE + "a lane that is not in its mask 0xffff .*",
    "a_lane_not_there_is_read": PLACE + r"lane \d+ reads lane 20, which is not in the mask 0xffff .*",
    "without_end": PLACE + "the thread goes on without end .*",
    "meetings_without_end": PLACE + "the thread goes on without end .*",
    "a_call_that_is_not_emulated": "emulated device: the driver's call cuMemPoolCreate is not emulated",
    "a_stream_that_is_gone": "emulated device: a stream is used that was destroyed, or never made",
    "code_of_no_one": "emulated device: code is loaded whose PTX is not known: .*",
}
UNWRITTEN = [name for name in PROGRAMS if name.endswith("_unwritten")] + ["a_division_by_zero"]
MISSING_WAITS = ["not_waiting_for_the_result", "not_waiting_for_another_stream", "overwriting_what_is_copied"]


def told(name):
    """What a program prints."""
    done = python("-m", "tests.ptx.planted", name, timeout=900)
    assert done.code == 0, done.errors[-2000:]
    return json.loads(done.output)


@pytest.mark.parametrize("name", FAULTS)
def test_fault(emulator, name):
    done = python("-m", "tests.ptx.planted", name, timeout=900)
    assert done.code == FAULT_EXIT, done.errors[-2000:]
    assert re.fullmatch(FAULTS[name], done.errors.strip()), done.errors
    assert done.faults == [done.errors.strip()] and done.output == ""


@pytest.mark.parametrize("name", UNWRITTEN)
def test_what_is_unwritten_differs_between_runs(emulator, name):
    first, second = told(name)
    assert first != second


@pytest.mark.parametrize("name", MISSING_WAITS)
def test_a_missing_wait_spoils_the_result(emulator, name):
    assert 42 not in told(name)


@pytest.mark.parametrize("name", ["waiting", "waiting_by_an_event"])
def test_who_waits_has_the_result(emulator, name):
    assert told(name) == [42, 42]


def test_atomics_add_up(emulator):
    assert told("adding_with_atomics") == sum(range(96))


def test_bytes_side_by_side_are_no_race(emulator):
    assert told("bytes_side_by_side") == "0001020304050607"


def test_launches_do_not_race_with_each_other(emulator):
    assert told("many_launches") == [5000]


def test_tables(emulator):
    assert told("a_table") == [5, 6, 7, 3]


def test_votes(emulator):
    assert told("votes") == [0xAAAAAAAA << 4 | 0b1100] * 32


def test_matches(emulator):
    assert told("matches") == [sum(1 << j for j in range(32) if j % 3 == i % 3) for i in range(32)]


def test_masks_of_half_a_warp(emulator):
    assert told("halves") == [3] * 16 + [20] * 16


def test_shuffles(emulator):
    found = told("shuffles")
    for kind, by, clamp in planted_warps.shuffle_cases():
        assert found[f"{kind} {by} {clamp}"] == [shuffled(kind, by, clamp, lane) for lane in range(32)], (
            kind,
            by,
            clamp,
        )


def shuffled(kind, by, clamp, lane):
    """Lane ``lane`` of a shuffle of numbers in segments of 8 lanes or 32; 100 more if the source is in its segment."""
    size = 8 if clamp >> 8 else 32
    first = lane - lane % size
    source = {"idx": first + by % size, "up": lane - by, "down": lane + by, "bfly": lane ^ by}[kind]
    least = 0 if kind == "bfly" else first  # it reaches lower segments, as the ISA has it
    inside = least <= source < first + size
    return 100 + source if inside else lane


def test_blocks_that_are_too_large_are_refused(emulator):
    assert told("too_many_threads") == [0, 701, 701, 1]


def test_allocations_fail_on_request(emulator):
    assert told("allocations_that_fail") == [0, 0, 2, 2, 0, 0]
