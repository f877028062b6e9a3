"""Faults on the device, such as an illegal address: from then on the driver refuses every call of the process.

The first call that meets one raises ``DeviceLost``; ``lost`` tells it to whoever is about to ask for the device again.
"""

import functools
import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from gpumcts.errors import BadInput

Function = TypeVar("Function", bound=Callable)

FAULTS = {  # CUresult and cudaError_t share these numbers
    214: "ECC_UNCORRECTABLE",
    220: "NVLINK_UNCORRECTABLE",
    226: "CONTAINED",
    700: "ILLEGAL_ADDRESS",
    702: "LAUNCH_TIMEOUT",
    709: "CONTEXT_IS_DESTROYED",
    710: "ASSERT",
    714: "HARDWARE_STACK_ERROR",
    715: "ILLEGAL_INSTRUCTION",
    716: "MISALIGNED_ADDRESS",
    717: "INVALID_ADDRESS_SPACE",
    718: "INVALID_PC",
    719: "LAUNCH_FAILED",
}
NAMES = {name.replace("_", ""): name for name in FAULTS.values()}  # as the runtime writes them, in capitals
NAMED = re.compile(rf"(?:CUDA_ERROR_|cudaError)({'|'.join([*FAULTS.values(), *NAMES])})\b", re.IGNORECASE)

OUT_OF_MEMORY = 2
FULL = re.compile(r"CUDA_ERROR_OUT_OF_MEMORY\b|cudaErrorMemoryAllocation\b")  # numbers of compilers mean other things

_lost = ""


class DeviceLost(BadInput):
    """A fault has made the device useless for this process; the message is one line."""


class DriverRefusal(RuntimeError):
    """The driver has answered a call of ours with another ``code`` than 0."""

    def __init__(self, code: int, call: str) -> None:
        self.code = code
        super().__init__(f"the driver refuses {call}: it answers {code}")


class DeviceFull(DriverRefusal, BadInput):
    """The driver has no memory left for a call: a kernel's stack, its code, a graph. The device goes on."""

    def __init__(self) -> None:
        super().__init__(OUT_OF_MEMORY, "")

    def __str__(self) -> str:
        return "the device has no memory left to run a kernel; end other processes that use it, or take engine=cpu"


def check_answer(code: int, call: str) -> None:
    """Raise DriverRefusal where the driver's answer to a call is no 0, DeviceFull where it lacks memory."""
    if code:
        raise DeviceFull() if code == OUT_OF_MEMORY else DriverRefusal(code, call)


def lost() -> str:
    """Why this process can use its device no more, in one line; empty while it can."""
    return _lost


def fault_of(error: BaseException) -> str:
    """The name of the fault that CuPy, numba or the driver tells of; empty if the device can go on after the error."""
    for number in (getattr(error, "status", None), getattr(error, "code", None)):
        if isinstance(number, int) and number in FAULTS:
            return FAULTS[number]
    found = NAMED.search(str(error))
    return NAMES[found.group(1).upper().replace("_", "")] if found else ""


def is_full(error: BaseException) -> bool:
    """Whether CuPy, numba or the driver tells that the device lacks memory; not of what was told in a line before."""
    if isinstance(error, BadInput | MemoryError):
        return False
    return FULL.search(str(error)) is not None


def lose(fault: str) -> DeviceLost:
    """Note that the device is lost; what is to be raised."""
    global _lost
    if not _lost:
        words = fault.lower().replace("_", " ")
        _lost = f"this process's device is lost ({words}); start it again, or take engine=cpu"
        if getattr(sys.unraisablehook, "func", None) is not _unraisable:
            sys.unraisablehook = functools.partial(_unraisable, sys.unraisablehook)
    return DeviceLost(_lost)


def _unraisable(usual: Callable, what: Any) -> None:
    """A lost driver also refuses to destroy streams and events: no news, so nothing is printed."""
    if not (_lost and what.exc_value is not None and fault_of(what.exc_value)):
        usual(what)


def telling(function: Function) -> Function:
    """``function``, which asks for the device: a fault met by it, or met before, is raised as ``DeviceLost``.

    Where the driver lacks memory for a call, ``DeviceFull`` is raised.
    """

    @functools.wraps(function)
    def call(*arguments: Any, **more: Any) -> Any:
        if _lost:
            raise DeviceLost(_lost)
        try:
            return function(*arguments, **more)
        except Exception as error:
            fault = "" if isinstance(error, DeviceLost) else fault_of(error)
            if fault:
                raise lose(fault) from error
            if is_full(error):
                raise DeviceFull() from error
            raise

    return call  # type: ignore[return-value]
