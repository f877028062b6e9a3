"""Scalar C++ playouts, compiled by g++ for the CPU at hand where there is one."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

COMMAND = ("g++", "-O3", "-march=native", "-std=c++17", "-shared", "-fPIC")

Tally = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


def scalar_playouts(game_name: str) -> Tally | None:
    """Uniform playouts of a game in C++: ``tally(states uint64[B, W], keys uint64[B], playouts) -> int64[B, 4]``.

    The columns, and the outcomes, are those of ``gpumcts.kernels.cpu.CpuPlayouts``. None where the game has no such
    program, or g++ is missing or fails.
    """
    source = Path(__file__).with_name(f"{game_name}.cpp")
    if not source.exists() or shutil.which(COMMAND[0]) is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "peer.so"
        if subprocess.run([*COMMAND, "-o", str(built), str(source)], capture_output=True).returncode:
            return None
        function = ctypes.CDLL(str(built)).playouts
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    function.argtypes, function.restype = (pointer, pointer, number, number, pointer), None

    def tally(states: np.ndarray, keys: np.ndarray, playouts: int) -> np.ndarray:
        states, keys = np.ascontiguousarray(states, np.uint64), np.ascontiguousarray(keys, np.uint64)
        found = np.zeros((len(states), 4), np.int64)
        function(states.ctypes.data, keys.ctypes.data, len(states), playouts, found.ctypes.data)
        return found

    return tally
