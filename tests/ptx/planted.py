"""Small programs on the emulated device, most of them with a planted fault: ``python -m tests.ptx.planted NAME``.

A fault ends the process. What a program prints as JSON is what it found, of two runs: another order of threads, another
poison.
"""

import ctypes
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ptx import linking
from tests.ptx.bare import Kernel, Memory, begin, call, written
from tests.ptx.control import fail_allocation, limit_steps
from tests.ptx.programs import MINE, PROGRAMS, on_words, program

ADD_ONE = "ld.global.u64 %rd5, [%rd1]; add.s64 %rd5, %rd5, 1; st.global.u64 [%rd1], %rd5;"


# ---------------------------------------------------------------------------------------------------------------- races


@program
def adding_without_atomics() -> Any:
    """Lanes of a warp read, add, and write the same word."""
    return on_words(ADD_ONE)


@program
def adding_without_atomics_in_blocks() -> Any:
    """The same by a thread of each of two blocks."""
    return on_words(ADD_ONE, threads=1, blocks=2)


@program
def reading_what_another_writes() -> Any:
    """Every lane writes its word and reads its neighbour's."""
    return on_words(f"{MINE} st.global.u64 [%rd2], %rd18; ld.global.u64 %rd5, [%rd2+8];")


@program
def reading_what_another_adds_to() -> Any:
    """A plain load beside an atomic addition."""
    return on_words("red.global.add.u64 [%rd1], 1; ld.global.u64 %rd5, [%rd1];", threads=2)


@program
def writing_a_byte_of_a_word() -> Any:
    """A thread writes a byte of the word that another reads."""
    return on_words(
        "setp.eq.s64 %p1, %rd18, 0; @%p1 ld.global.u64 %rd5, [%rd1]; @!%p1 st.global.u8 [%rd1+3], %rd18;", threads=2
    )


@program
def adding_with_atomics() -> Any:
    """No fault: every thread of three blocks adds its number."""
    return on_words("red.global.add.u64 [%rd1], %rd18;", blocks=3)[0]


@program
def bytes_side_by_side() -> Any:
    """No fault: every thread has a byte of its own."""
    return on_words("add.s64 %rd2, %rd1, %rd18; st.global.u8 [%rd2], %rd18;", threads=8)[0].to_bytes(8, "little").hex()


@program
def many_launches() -> Any:
    """No fault: who touched what in one launch is no one's concern in another, 5,000 launches on."""
    memory, kernel = Memory([0]), Kernel(written(ADD_ONE))
    for number in range(5000):
        kernel(1 + number % 2, 1 + number % 2, memory.address) if number % 2 == 0 else kernel(1, 1, memory.address)
    return memory.values().tolist()


# --------------------------------------------------------------------------------------------------------------- memory


@program
def past_the_end() -> Any:
    """The word behind an array."""
    return on_words("ld.global.u64 %rd5, [%rd1+512];", threads=1)


@program
def before_the_beginning() -> Any:
    """The word before it."""
    return on_words("st.global.u64 [%rd1+-8], %rd1;", threads=1)


@program
def half_past_the_end() -> Any:
    """A vector that begins inside and ends outside."""
    return on_words("ld.global.v4.u32 {%r4, %r5, %r6, _}, [%rd1];", threads=1, words=1)


@program
def nowhere() -> Any:
    """Address 0."""
    return on_words("mov.u64 %rd5, 0; ld.global.u64 %rd6, [%rd5];", threads=1)


@program
def after_it_was_freed() -> Any:
    """Memory that went back."""
    memory, kernel = Memory([1]), Kernel(written(ADD_ONE))
    memory.free()
    Memory([1])
    kernel(1, 1, memory.address)


@program
def misaligned() -> Any:
    """A word at an address that is no multiple of 8."""
    return on_words("ld.global.u64 %rd5, [%rd1+4];", threads=1)


@program
def misaligned_vector() -> Any:
    """Two words at an address that is no multiple of 16."""
    return on_words("ld.global.v2.u64 {%rd5, %rd6}, [%rd1+8];", threads=1)


FRAME = ".local .align 16 .b8 frame[32]; mov.u64 %rd5, frame;"


@program
def past_the_frame() -> Any:
    """Local memory ends after 32 bytes."""
    return on_words(f"{FRAME} st.local.u64 [%rd5+32], %rd1;", threads=1)


@program
def misaligned_in_the_frame() -> Any:
    """Half a word on in local memory."""
    return on_words(f"{FRAME} st.local.u64 [%rd5+4], %rd1;", threads=1)


TABLE = ".const .align 8 .u64 table[3] = {5, 6, 7};"
TABLE_ENTRY = "mov.u64 %rd5, table; add.s64 %rd6, %rd5, %rd17;"


@program
def past_a_table() -> Any:
    """A fourth entry of a table of three."""
    return on_words(
        f"{MINE} {TABLE_ENTRY} ld.const.u64 %rd7, [%rd6]; st.global.u64 [%rd2], %rd7;", threads=4, before=TABLE
    )


@program
def a_table() -> Any:
    """No fault: its three entries."""
    return on_words(
        f"{MINE} {TABLE_ENTRY} ld.const.u64 %rd7, [%rd6]; st.global.u64 [%rd2], %rd7;", threads=3, before=TABLE
    )[:4]


@program
def writing_a_table() -> Any:
    """Constants stay."""
    return on_words(f"mov.u64 %rd17, 0; {TABLE_ENTRY} st.global.u64 [%rd6], %rd1;", threads=1, before=TABLE)


@program
def freed_twice() -> Any:
    """Memory goes back twice."""
    memory = Memory([1])
    memory.free()
    memory.free()


@program
def copied_past_the_end() -> Any:
    """The host asks for more than there is."""
    memory = Memory([1])
    memory.count = 2
    return memory.values().tolist()


# ---------------------------------------------------------------------------------------------------- what is unwritten


def _in_two_runs(act: Callable[[], Any]) -> list[Any]:
    found = []
    for run in range(2):
        begin(run)
        found.append(act())
    return found


@program
def a_register_unwritten() -> Any:
    """Its lowest bit reaches the result."""
    return _in_two_runs(lambda: on_words("and.b64 %rd6, %rd5, 1; st.global.u64 [%rd1], %rd6;", threads=1)[0])


@program
def a_predicate_unwritten() -> Any:
    """It chooses the result."""
    return _in_two_runs(lambda: on_words("selp.u64 %rd6, 1, 2, %p1; st.global.u64 [%rd1], %rd6;", threads=1)[0])


@program
def a_double_unwritten() -> Any:
    """Its sign chooses the result."""
    code = "setp.lt.f64 %p1, %fd1, 0d3FF0000000000000; selp.u64 %rd6, 1, 2, %p1; st.global.u64 [%rd1], %rd6;"
    return _in_two_runs(lambda: on_words(code, threads=1)[0])


@program
def a_word_unwritten() -> Any:
    """A word of the device's memory, of which one bit is stored."""
    kernel = Kernel(written("ld.global.u64 %rd5, [%rd1+8]; shr.u64 %rd5, %rd5, 63; st.global.u64 [%rd1], %rd5;"))

    def act() -> int:
        memory = Memory(2)
        kernel(1, 1, memory.address)
        return int(memory.values()[0])

    return _in_two_runs(act)


@program
def a_local_byte_unwritten() -> Any:
    """A byte of local memory."""
    code = f"{FRAME} ld.local.u8 %rs1, [%rd5+7]; cvt.u64.u16 %rd6, %rs1; st.global.u64 [%rd1], %rd6;"
    return _in_two_runs(lambda: on_words(code, threads=1)[0])


@program
def a_division_by_zero() -> Any:
    """Its result is anyone's guess."""
    code = "mov.u64 %rd5, 0; div.u64 %rd6, %rd1, %rd5; st.global.u64 [%rd1], %rd6;"
    return _in_two_runs(lambda: on_words(code, threads=1)[0])


# -------------------------------------------------------------------------------------------------------------- streams


def _stream() -> Any:
    made = ctypes.c_void_p()
    call("cuStreamCreate", ctypes.byref(made), 1)
    return made


def _pinned(values: Any) -> np.ndarray:
    address, values = ctypes.c_void_p(), np.asarray(values, np.uint64)
    call("cuMemHostAlloc", ctypes.byref(address), ctypes.c_size_t(values.nbytes), 0)
    host = np.frombuffer((ctypes.c_char * values.nbytes).from_address(address.value), np.uint64)
    host[:] = values
    return host


def _async(name: str, target: int, source: int, stream: Any) -> None:
    call(name, ctypes.c_uint64(target), ctypes.c_uint64(source), ctypes.c_size_t(8), stream)


def _round_trip(waits_between: bool, waits_after: bool, overwrites: bool = False, by_event: bool = False) -> int:
    """A word goes to the device in one stream, is added to in another, and comes back."""
    there, back, host = _stream(), _stream(), _pinned([41])
    memory, kernel = Memory(1), Kernel(written(ADD_ONE))
    _async("cuMemcpyHtoDAsync_v2", memory.address, host.ctypes.data, there)
    if by_event:
        event = ctypes.c_void_p()
        call("cuEventCreate", ctypes.byref(event), 0)
        call("cuEventRecord", event, there)
        call("cuStreamWaitEvent", back, event, 0)
    if waits_between:
        call("cuStreamSynchronize", there)
    if overwrites:
        host[0] = 7
    kernel(1, 1, memory.address, stream=back, waits=False)
    result = _pinned([0])
    _async("cuMemcpyDtoHAsync_v2", result.ctypes.data, memory.address, back)
    if waits_after:
        call("cuStreamSynchronize", back)
    return int(result[0])


@program
def waiting() -> Any:
    """No fault: each waits for the one before."""
    return _in_two_runs(lambda: _round_trip(True, True))


@program
def waiting_by_an_event() -> Any:
    """No fault: the second stream waits for the first, the host for the second."""
    return _in_two_runs(lambda: _round_trip(False, True, by_event=True))


@program
def not_waiting_for_the_result() -> Any:
    """The host reads what has not come back."""
    return _in_two_runs(lambda: _round_trip(True, False))


@program
def not_waiting_for_another_stream() -> Any:
    """The kernel reads what has not arrived."""
    return _in_two_runs(lambda: _round_trip(False, True))


@program
def overwriting_what_is_copied() -> Any:
    """The host writes a pinned buffer whose copy is still in the queue."""
    return _in_two_runs(lambda: _round_trip(False, True, overwrites=True, by_event=True))


@program
def a_stream_that_is_gone() -> Any:
    """It is waited for after it was destroyed."""
    made = _stream()
    call("cuStreamDestroy_v2", made)
    call("cuStreamSynchronize", made)


# ------------------------------------------------------------------------------------------------------------ the rest


@program
def without_end() -> Any:
    """A loop that does not end."""
    limit_steps(10_000)
    return on_words("AGAIN: bra.uni AGAIN;", threads=1)


@program
def a_call_that_is_not_emulated() -> Any:
    """By the driver's own way to find its calls."""
    found = ctypes.c_void_p()
    call("cuGetProcAddress_v2", b"cuMemPoolCreate", ctypes.byref(found), 13000, ctypes.c_uint64(0), None)
    ctypes.CFUNCTYPE(ctypes.c_int)(found.value)()


@program
def too_many_threads() -> Any:
    """A kernel of 200 registers in a block of 1,024."""
    kernel = Kernel(written(""), registers=200)
    codes = [_launch_code(kernel, threads) for threads in (256, 288, 1024, 0)]
    return codes


def _launch_code(kernel: Kernel, threads: int) -> int:
    word = ctypes.c_uint64(0)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(word))
    return linking.driver().cuLaunchKernel(kernel.handle, 1, 1, 1, threads, 1, 1, 0, None, pointers, None)


@program
def allocations_that_fail() -> Any:
    """The third one and the fourth are refused."""
    fail_allocation(2)
    address, codes = ctypes.c_uint64(), []
    for _ in range(6):
        codes.append(linking.driver().cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(8)))
    return codes


@program
def code_of_no_one() -> Any:
    """An image that numba did not link."""
    library = ctypes.c_void_p()
    call("cuLibraryLoadData", ctypes.byref(library), ctypes.c_char_p(b"\x7fELF and more"), None, None, 0, None, None, 0)


if __name__ == "__main__":
    from tests.ptx import planted_warps  # noqa: F401  it enters its own

    json.dump(PROGRAMS[sys.argv[1]](), sys.stdout)
