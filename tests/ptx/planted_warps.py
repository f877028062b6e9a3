"""Small programs in which the lanes of a warp vote and shuffle, right or wrong: entered among those of ``planted``."""

from typing import Any

from tests.ptx.control import limit_steps
from tests.ptx.programs import MINE, on_words, program

EVERYONE = "mov.u32 %r7, -1;"
SHUFFLE = "shfl.sync.idx.b32 %r5, %r1, 0, 31, %r7;"


@program
def a_lane_has_ended() -> Any:
    """All but the last lane shuffle."""
    return on_words(f"{EVERYONE} setp.eq.s32 %p1, %r1, 31; @%p1 ret; {SHUFFLE}")


@program
def a_warp_is_not_full() -> Any:
    """A block of 31 threads asks for 32."""
    return on_words(f"{EVERYONE} {SHUFFLE}", threads=31)


@program
def lanes_at_two_places() -> Any:
    """Half of the lanes shuffle here, half there."""
    return on_words(f"{EVERYONE} setp.lt.s32 %p1, %r1, 16; @%p1 bra HERE; {SHUFFLE} ret; HERE: {SHUFFLE}")


@program
def lanes_of_two_minds() -> Any:
    """Lanes wait with different masks."""
    return on_words(f"mov.u32 %r7, -1; setp.lt.s32 %p1, %r1, 16; @%p1 mov.u32 %r7, 65535; {SHUFFLE}")


@program
def a_lane_not_in_its_mask() -> Any:
    """The mask leaves out who calls."""
    return on_words(f"mov.u32 %r7, 65535; {SHUFFLE}")


@program
def a_lane_not_there_is_read() -> Any:
    """The lower half reads lane 20, which does not take part."""
    lower = "shfl.sync.idx.b32 %r5, %r1, 20, 31, %r7;"
    return on_words(f"mov.u32 %r7, 65535; setp.lt.s32 %p1, %r1, 16; @!%p1 ret; {lower}")


@program
def meetings_without_end() -> Any:
    """A warp that shuffles on and on."""
    limit_steps(100_000)
    return on_words(f"{EVERYONE} AGAIN: {SHUFFLE} bra.uni AGAIN;")


@program
def halves() -> Any:
    """No fault: each half of a warp shuffles among its own lanes, at places of its own."""
    tell = "cvt.u64.u32 %rd6, %r5; st.global.u64 [%rd2], %rd6;"
    lower = f"mov.u32 %r7, 65535; shfl.sync.idx.b32 %r5, %r1, 3, 31, %r7; {tell} ret;"
    upper = f"mov.u32 %r7, -65536; shfl.sync.idx.b32 %r5, %r1, 20, 31, %r7; {tell}"
    return on_words(f"{MINE} setp.lt.s32 %p1, %r1, 16; @!%p1 bra UPPER; {lower} UPPER: {upper}")[:32]


@program
def votes() -> Any:
    """No fault: who has an odd number; whether any lane is lane 5, all are below 32, all agree."""
    code = f"""{MINE} {EVERYONE} and.b32 %r4, %r1, 1; setp.eq.s32 %p1, %r4, 1; vote.sync.ballot.b32 %r5, %p1, %r7;
        setp.eq.s32 %p2, %r1, 5; vote.sync.any.pred %p3, %p2, %r7; setp.lt.s32 %p4, %r1, 32;
        vote.sync.all.pred %p5, %p4, %r7; vote.sync.uni.pred %p6, %p1, %r7; vote.sync.all.pred %p7, !%p2, %r7;
        cvt.u64.u32 %rd5, %r5; shl.b64 %rd5, %rd5, 4;
        selp.u64 %rd6, 8, 0, %p3; or.b64 %rd5, %rd5, %rd6; selp.u64 %rd6, 4, 0, %p5; or.b64 %rd5, %rd5, %rd6;
        selp.u64 %rd6, 2, 0, %p6; or.b64 %rd5, %rd5, %rd6; selp.u64 %rd6, 1, 0, %p7; or.b64 %rd5, %rd5, %rd6;
        st.global.u64 [%rd2], %rd5;"""
    return on_words(code)[:32]


@program
def matches() -> Any:
    """No fault: the lanes with the same remainder by 3."""
    code = f"""{MINE} {EVERYONE} rem.u32 %r4, %r1, 3; match.any.sync.b32 %r5, %r4, %r7;
        cvt.u64.u32 %rd5, %r5; st.global.u64 [%rd2], %rd5;"""
    return on_words(code)[:32]


@program
def shuffles() -> Any:
    """No fault: every kind, by several distances and in segments of 8 and 32: result and predicate."""
    told = {}
    for kind, by, clamp in shuffle_cases():
        code = f"""{MINE} {EVERYONE} shfl.sync.{kind}.b32 %r5|%p1, %r1, {by}, {clamp}, %r7;
            cvt.u64.u32 %rd5, %r5; selp.u64 %rd6, 100, 0, %p1; add.s64 %rd5, %rd5, %rd6; st.global.u64 [%rd2], %rd5;"""
        told[f"{kind} {by} {clamp}"] = on_words(code)[:32]
    return told


def shuffle_cases() -> list[tuple[str, int, int]]:
    """Kind, distance or lane, and clamp: the end of a segment, and what of a lane's number names its segment."""
    ends = {"idx": 31, "down": 31, "bfly": 31, "up": 0}
    return [
        (k, by, segments << 8 | end) for k, end in ends.items() for by in (0, 1, 5, 16, 31) for segments in (0, 0b11000)
    ]
