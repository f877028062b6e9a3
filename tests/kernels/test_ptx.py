"""Every kernel compiled for devices that are not there: PTX by NVVM, machine code by nvJitLink, as the engines do."""

import ctypes
import functools
import importlib.util
import re
from types import SimpleNamespace

import pytest

from gpumcts.kernels import compile_check
from gpumcts.kernels.cuda import launch_cost
from gpumcts.tree import device_check
from tests.kernels.drivers import told_by

GAMES = compile_check.options.names("game")
FOUND = {name: rest for name, *rest in compile_check.kernels(GAMES)}
KERNELS = list(FOUND)
DEVICES = ["sm_80", "sm_90a"]
HOPPER = compile_check.TARGETS[1]
QUICK = ("othello", "sm_90a")  # the kernels of the others take minutes to compile


def _game_of(kernel):
    return kernel.partition(" on ")[2].partition(",")[0]


WHOLE = ("whole", "nested")  # the kernels of a game with playouts of its own
EACH = [
    pytest.param(name, device, marks=[] if (_game_of(name), device) == QUICK else pytest.mark.slow)
    for name in KERNELS
    for device in DEVICES
]

WORDS = SimpleNamespace(  # an array of the device
    dtype=SimpleNamespace(itemsize=8), shape=(64,), strides=(8,), __cuda_array_interface__={"data": (1 << 40, False)}
)
JOB = (WORDS, 2, 3, 5, 4, 1, 0, 0, 1, 32)

pytestmark = pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")


@functools.lru_cache(maxsize=None, typed=True)
def _told(game, device, *more):
    told = told_by("gpumcts.kernels.compile_check", "--json", "--device", device, *more, game)
    assert {report["capability"] for report in told} == {device}
    return {report["kernel"]: report for report in told}


@pytest.fixture
def report():
    """``report(kernel, device)``, from a process without simulator and device; one compiles all kernels of a game."""
    return lambda kernel, device: _told(_game_of(kernel), device)[kernel]


def test_kernels_are_all_there():
    assert len(KERNELS) == len(set(KERNELS)) >= 5 * len(GAMES)
    for way in ("thread", "nested", "warp"):
        assert f"Minimax(depth=2, epsilon=0.0, truncate=0) on othello, {way}" in KERNELS
    assert "Minimax(depth=3, epsilon=0.0, truncate=0) on othello, thread" not in KERNELS


@pytest.mark.parametrize("kernel, device", EACH)
def test_compiles(report, kernel, device):
    assert report(kernel, device)["error"] == ""


@pytest.mark.parametrize("kernel, device", EACH)
def test_integers_only(report, kernel, device):
    assert report(kernel, device)["floats"] == 0


# Of Chess, whose positions and sets of moves are more than 255 registers hold; ``nested`` is its usual kernel.
SPILLS = {"warp": 800, "nested": 0}
STACK = {"warp": 320, "nested": 640}
IN_MEMORY = {"havannah"}  # games whose rules follow chains in local memory


@pytest.mark.parametrize("kernel, device", EACH)
def test_no_spills(report, kernel, device):
    """None but where many positions are at hand at once: informed playouts of Chess."""
    told, way = report(kernel, device), kernel.rpartition(" ")[2]
    if _game_of(kernel) == "chess" and kernel.startswith("Minimax"):
        assert told["spills"] <= SPILLS[way] and told["stack"] <= STACK[way]
        return
    assert told["spills"] == 0
    if way != "whole" and _game_of(kernel) not in IN_MEMORY:  # which keep boards of their own
        assert (told["local"], told["stack"]) == (0, 0)


# Bytes of stack at most of a thread that keeps the chains of a board, and of spills where there are some.
BOARDS = {
    "go": 2048,
    "go:size=13": 3584,
    "go:size=19": 6656,
    "havannah:base=4": 1536,
    "havannah": 2560,
    "havannah:base=10": 5120,
}
SPILLED = {("go:size=19", "go"): 1536}  # sets of six words, of which a stage of the policy has a dozen at hand
LARGE = [
    (game, playout, traced)
    for game in BOARDS
    for playout in (("uniform", "go") if game.startswith("go") else ("uniform",))
    for traced in (False, True)
    if traced or ":" in game
]


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game, playout, traced", LARGE)
def test_other_boards_and_traces(game, playout, traced, device):
    """Boards that are not the default, and RAVE's kernels: no floats, no more memory than the chains take."""
    told = _told(game, device, "--playout", playout, *(["--traced"] if traced else []))
    assert {name.rpartition(" ")[2] for name in told} == set(WHOLE)
    for kernel, report in told.items():
        assert (report["error"], report["floats"]) == ("", 0), kernel
        assert report["stack"] <= BOARDS[game] and report["spills"] <= SPILLED.get((game, playout), 0), kernel


def test_options_of_a_game():
    """A board of another size is another class, under the name that it was asked for by."""
    found = {name: game for name, _, game, _ in compile_check.kernels(["go:size=13:komi=6.5", "havannah"], ["uniform"])}
    ways = [f"Uniform(truncate=0) on {game}, {way}" for game in ("go:size=13:komi=6.5", "havannah") for way in WHOLE]
    assert sorted(found) == sorted([*ways, "Uniform(truncate=0) on go:size=13:komi=6.5, attempts"])
    assert {(type(game).__name__, game[0]) for game in found.values()} == {("Board13", 13), ("Base8", False)}


def test_kernels_that_keep_traces():
    """In place of the usual ones; by the game's own playout where it has one, else ply by ply, but for the warp's."""
    found = {name: game for name, _, game, _ in compile_check.kernels(["go", "othello"], ["uniform"], True)}
    own = [f"Uniform(truncate=0) on go, traced, {way}" for way in WHOLE]
    assert sorted(found) == sorted([*own, "Uniform(truncate=0) on othello, traced, nested"])
    assert [type(game).__name__ for game in found.values()] == ["TracedWhole", "TracedWhole", "Traced"]
    assert not [name for name, *_ in compile_check.kernels(["othello"], ["minimax"], True) if name.endswith("warp")]


def test_a_trace_is_written():
    """Of every playout its score and the two words of its trace: three stores more in a game of a word."""
    name, kernel, game, policy = next(compile_check.kernels(["dots_and_boxes"], ["uniform"], True))
    assert name.endswith("traced, nested")
    usual = FOUND["Uniform(truncate=0) on dots_and_boxes, nested"]
    kept, sums = (compile_check.ptx(*parts, HOPPER) for parts in ((kernel, game, policy), usual))
    stores = r"st\.(?:global\.)?[bu]64"
    assert len(re.findall(stores, kept)) == len(re.findall(stores, sums)) + 3


@pytest.mark.parametrize(
    "words, message",
    [
        ("nonesuch", "game=nonesuch is not known"),
        ("go:size=10", "game.size=10: must be 9, 13 or 19"),
        ("go:sides=9", "go:sides=9: unknown key; game=go has size, komi, area_weight, liberty_weight"),
        ("go:size", "go:size: size must be a value such as 9"),
        ("go:komi=1e999", "game.komi=inf: must be a number in [-400, 400]"),
        ("dots_and_boxes:rows=9", "game.rows=9: must be an integer in [1, 4]"),
        ("go:size=true", "go:size=true: size must be a value such as 9"),
        ("--playout go havannah", "playout=go is not for game=havannah"),
        ("--traced go chess", "--traced: wants games whose moves are points (CELLS), and game=chess is none"),
    ],
)
def test_what_is_not_there(words, message, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["compile_check", *words.split()])
    assert compile_check.main() == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_the_table_tells_local_memory():
    report = compile_check.Report("kernel", "sm_90a", registers=90, stack=1712, spills=8, floats=3, local=1664)
    head, line = compile_check.head(6), compile_check.row(report, 6)
    assert head.split() == ["kernel", "device", "registers", "local", "stack", "spills", "floats"]
    assert line.split() == ["kernel", "sm_90a", "90", "1664", "1712", "8", "3"]


def test_a_line_is_shown_before_the_next_kernel_is_compiled(capsys):
    """All kernels take minutes."""

    def reports():
        for number in range(2):
            assert len(capsys.readouterr().out.splitlines()) == 1  # the head, or the kernel before
            yield compile_check.Report(f"kernel {number}", "sm_90a", registers=90)

    assert len(compile_check.shown(reports(), ["kernel 0", "kernel 1"], as_json=False)) == 2
    assert capsys.readouterr().out.startswith("kernel 1  sm_90a")


@pytest.mark.parametrize("check", [compile_check, device_check])
def test_a_command_line_that_is_not_understood_is_one_line(check, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["check", "--nonesuch"])
    with pytest.raises(SystemExit) as ended:
        check.main()
    assert ended.value.code == 2 and capsys.readouterr().err == "error: unrecognized arguments: --nonesuch\n"


def test_a_name_of_no_kernel_is_one_line_before_any_compiles(monkeypatch, capsys):
    monkeypatch.setattr(compile_check, "check", None)
    monkeypatch.setattr("sys.argv", ["check", "ucb1/average/uniform/othello", "ucb1/average/uniform/otello"])
    assert device_check.main() == 2
    assert capsys.readouterr().err.startswith("error: game=otello is not known (did you mean othello?)")


MAX_REGISTERS = {
    "sm_80": (80, 152),
    "sm_90a": (64, 128),
}  # uniform, informed: nvJitLink is more generous before Hopper
ON_BOTH = pytest.mark.parametrize("device", [pytest.param("sm_80", marks=pytest.mark.slow), "sm_90a"])


@ON_BOTH
def test_registers_of_uniform_othello(report, device):
    """On Hopper no more than 64, so that half of a multiprocessor's threads are resident, and nothing is spilled."""
    assert report("Uniform(truncate=0) on othello, nested", device)["registers"] <= MAX_REGISTERS[device][0]


@ON_BOTH
def test_registers_of_informed_playouts(report, device):
    """On Hopper no more than 128, so that a quarter of a multiprocessor's threads are resident."""
    for way in ("thread", "nested", "warp"):
        found = report(f"Minimax(depth=2, epsilon=0.0, truncate=0) on othello, {way}", device)
        assert found["registers"] <= MAX_REGISTERS[device][1]


WARP_CODE = {  # what the simulator does in other ways, and how often a kernel may ask for it
    "Uniform(truncate=0) on othello, nested": {
        r"match\.any\.sync\.b32": (1, 1),  # which lanes have a leaf in common
        r"shfl\.sync\.idx\.b32": (6, 6),  # two words to add up, and the share that the first lane takes
        r"vote\.sync\.ballot\.b32": (4, 5),
        r"atom\.global\.add\.u64": (5, 5),  # the four numbers of a tally, and a share
        r"lanemask_lt": (1, 9),
        r"div\.u32": (1, 2),  # the leaf of a playout
    },
    "Minimax(depth=2, epsilon=0.0, truncate=0) on othello, thread": {
        r"match\.any\.sync\.b32": (1, 1),
        r"shfl\.sync\.idx\.b32": (6, 6),
    },
    "Minimax(depth=2, epsilon=0.0, truncate=0) on othello, warp": {
        r"shfl\.sync\.bfly\.b32": (10, 10),  # the largest of 32 values of 64 bits
        r"shfl\.sync\.idx\.b32": (4, 4),
        r"match\.any": (0, 0),
    },
}


@pytest.mark.parametrize("kernel", WARP_CODE)
def test_warps_talk_in_machine_code(kernel):
    code = compile_check.ptx(*FOUND[kernel], HOPPER)
    for pattern, (least, most) in WARP_CODE[kernel].items():
        assert least <= len(re.findall(pattern, code)) <= most, pattern


def test_packed_arguments():
    """As many words of the same sizes as the kernel takes, for games with numbers and with bools."""
    for game in ("othello", "sailing", "dice_duel"):
        name = f"Uniform(truncate=0) on {game}, nested"
        kernel, game_value, policy = FOUND[name]
        words = launch_cost.flattened((game_value, policy, JOB))
        code = compile_check.ptx(kernel, game_value, policy, HOPPER)
        sizes = re.findall(r"\.param \.[ub](\d+) ", code[: code.index(")")])
        assert [8 * ctypes.sizeof(word) for word in words] == [int(size) for size in sizes]


def test_floats_are_seen():
    """The count of floating-point instructions finds some where there are some."""
    floats = ["add.f64 \t%fd1, %fd2, %fd3;", "@%p1 fma.rn.f32 %f1, %f2, %f3, %f4;", "cvt.rn.f64.s64 %fd1, %rd1;"]
    others = ["add.s64 %rd1, %rd2, 1;", "@!%p2 bra LBB0_3;"]
    assert len(compile_check.FLOATS.findall("\n".join("\t" + line for line in floats + others))) == len(floats)
