"""PTX that the emulator does not know is an error of one line that names it; so is a machine without gcc."""

import os
import sys

import pytest

from tests.ptx.bare import HEAD, written
from tests.ptx.build import BuildError, driver
from tests.ptx.reading import PtxError, read
from tests.ptx.running import ROOT, run
from tests.ptx.translation import translate

UNKNOWN = {
    "sin.approx.f32 %r1, %r1;": "PTX line 10: unknown instruction sin.approx.f32",
    "add.sat.s32 %r1, %r1, 1;": "PTX line 10: unknown instruction add.sat.s32",
    "add.f64 %fd1, %fd1, %fd2;": "PTX line 10: unknown instruction add.f64",  # it does not say how to round
    "ld.volatile.global.u64 %rd5, [%rd1];": "PTX line 10: unknown instruction ld.volatile.global.u64",
    "atom.global.cas.b64 %rd5, [%rd1], 0, 1;": "PTX line 10: unknown instruction atom.global.cas.b64",
    "bar.sync 0;": "PTX line 10: unknown instruction bar.sync",
    "call.uni f;": "PTX line 10: unknown instruction call.uni",
    "add.s64 %rd5, %r1, 1;": "PTX line 10: register %r1 is .b32 where .u64 is wanted",
    "add.s64 %rd99, %rd1, 1;": "PTX line 10: unknown register %rd99",
    "add.s64 %rd5, %rd1;": "PTX line 10: add.s64 with 2 operands",
    "and.pred %p1, %r1, %p2;": "PTX line 10: a predicate is wanted",
    "mov.u64 %rd5, nothing;": "PTX line 10: unknown symbol nothing",
    "ld.param.u64 %rd5, [test_param_7];": "PTX line 10: [test_param_7+0] is no parameter",
    "ld.param.u32 %r5, [test_param_0];": "PTX line 10: a part of parameter test_param_0",
    "ld.global.v2.u64 {%rd5, %rd6, %rd7}, [%rd1];": "PTX line 10: a vector of 3, of 2 is wanted",
    ".shared .align 8 .b8 room[64];": "PTX line 10: unknown statement .shared .align 8 .b8 room[64]",
    "add.s64 %rd5, %rd1, ?;": "PTX line 10: unknown operand ?",
}


@pytest.mark.parametrize("code", UNKNOWN)
def test_unknown_code(code):
    with pytest.raises(PtxError) as error:
        translate(read(written(code)))
    assert str(error.value) == UNKNOWN[code]


def test_unknown_declarations():
    with pytest.raises(PtxError, match=r"^PTX line 4: unknown declaration \.shared \.align 8 \.b8 room\[64\]$"):
        read(written("", before=".shared .align 8 .b8 room[64];"))
    with pytest.raises(PtxError, match=r"^PTX line \d+: unknown declaration \.func helper"):
        read(written("", before=".func helper() { ret; }"))


def test_other_than_one_kernel():
    for text, count in ((HEAD, 0), (written("") + written(""), 2)):
        with pytest.raises(PtxError, match=f"^a PTX text of {count} kernels: one is wanted$"):
            read(text)


def test_lines_are_those_of_the_text():
    text = written("\n// a remark\nadd.s64 %rd5,\n  %rd1, 1;\nadd.s64 %rd6, %rd99, 1;")
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "%rd99" in line)
    with pytest.raises(PtxError, match=f"^PTX line {line}: unknown register %rd99$"):
        translate(read(text))


def test_no_gcc(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GPUMCTS_PTX_CACHE", str(tmp_path))
    with pytest.raises(BuildError, match="^the PTX emulator compiles kernels with gcc, which is not on the path$"):
        driver()


def test_no_gcc_from_the_command_line(tmp_path):
    told = command("run", sys.executable, "-c", "pass", PATH=str(tmp_path), GPUMCTS_PTX_CACHE=str(tmp_path))
    assert told == (2, "error: the PTX emulator compiles kernels with gcc, which is not on the path\n")


def test_an_unknown_instruction_ends_a_process_with_a_line(emulator):
    code = "from tests.ptx.linking import add; add('test', 'no PTX', b'')"
    done = run([sys.executable, "-c", code])
    assert done.code == 70
    assert done.errors == "emulated device: a PTX text of 0 kernels: one is wanted (kernel test)\n"


def test_commands(emulator):
    assert command("run", "no-such-command")[0] == 2
    assert command("walk", "python")[1].startswith("usage: python -m tests.ptx run COMMAND")
    assert command("run", sys.executable, "-c", "raise SystemExit(3)") == (3, "")


def command(*words, **variables):
    """Exit code and errors of ``python -m tests.ptx``."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "tests.ptx", *words],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr
