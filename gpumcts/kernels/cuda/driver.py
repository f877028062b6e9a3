"""The driver: the devices that this process sees, properties of the first one, and what prevents its use.

A process plays on one device, the first that the driver shows it; ``CUDA_VISIBLE_DEVICES`` chooses, in every form that
the driver knows (indices, UUIDs, ``MIG-`` names, nothing, -1). Importing this needs neither CuPy nor a GPU.
"""

import contextlib
import ctypes
import functools
import importlib.util
import json
import os
import subprocess
import sys
import uuid
from importlib import metadata
from typing import Any, NamedTuple

# CUdevice_attribute of the driver's interface
MULTIPROCESSORS, MAJOR, MINOR = 16, 75, 76
LIBRARIES = ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so")
VARIABLE = "CUDA_VISIBLE_DEVICES"
OLDEST = 12  # CUDA version of a driver that the packages can be had for
LEAST = (7, 0)  # compute capability: lanes of a warp ask each other for peers (match.sync)
LEAST_OF_13 = (7, 5)  # the same of the packages of CUDA 13, which compile for no earlier device
NO_DEVICE = (0, 100, 101)  # answers of a driver that shows none: it is well, so the choice is to blame
SECONDS_TO_LIST = 60


class DeviceInfo(NamedTuple):
    """What there is of a device, and what keeps it from being used: one line, empty if nothing does.

    memory in bytes; capability as (major, minor); driver as the CUDA version it supports, such as ``13.0``; identity is
    its UUID
    """

    name: str = ""
    capability: tuple[int, int] = (0, 0)
    multiprocessors: int = 0
    memory: int = 0
    driver: str = ""
    problem: str = ""
    identity: str = ""


@functools.cache
def describe() -> DeviceInfo:
    """The first device that the driver shows. Asks the driver, and never raises."""
    for library in LIBRARIES:
        try:
            found = ask_driver(ctypes.CDLL(library))
        except (OSError, AttributeError):  # not there, or too old to be asked
            continue
        return found._replace(problem=found.problem or _unusable(found))
    return DeviceInfo(
        problem=f"no NVIDIA driver is there ({LIBRARIES[0]}); needed are one and the extra cuda12 or cuda13"
    )


def _unusable(found: DeviceInfo) -> str:
    return (
        too_old(found.driver)
        or too_early(found.capability)
        or missing_packages(found.driver, found.capability)
        or wrong_packages(found.capability)
    )


def driver_library() -> Any:
    """The driver's library; OSError where there is none."""
    for library in LIBRARIES:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(library)
    raise OSError(f"no NVIDIA driver is there ({LIBRARIES[0]})")


def ask_driver(driver: Any) -> DeviceInfo:
    """What a loaded driver library says of the first device that it shows."""
    code, count = _count(driver)
    return _described(driver, 0) if count else DeviceInfo(problem=_none_shown(code))


def _count(driver: Any) -> tuple[int, int]:
    """The driver's answer, and how many devices it shows."""
    count = ctypes.c_int()
    code = driver.cuInit(0)
    if code == 0:
        code = driver.cuDeviceGetCount(ctypes.byref(count))
    return code, count.value if code == 0 else 0


def _none_shown(code: int) -> str:
    chosen = os.environ.get(VARIABLE)
    if chosen is None or code not in NO_DEVICE:
        return f"the NVIDIA driver shows no device (it answers {code})"
    if chosen.strip() in ("", "-1"):
        return f"{VARIABLE}={chosen} hides every device from this process"
    return f"{VARIABLE}={chosen} names no device; `python -m experiments.doctor` lists them"


def _described(driver: Any, number: int) -> DeviceInfo:
    version, handle, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t()
    name = ctypes.create_string_buffer(256)
    driver.cuDriverGetVersion(ctypes.byref(version))
    driver.cuDeviceGet(ctypes.byref(handle), number)
    driver.cuDeviceGetName(name, len(name), handle)
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), handle)

    def attribute(which: int) -> int:
        value = ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(value), which, handle)
        return value.value

    return DeviceInfo(
        name=name.value.decode(errors="replace"),
        capability=(attribute(MAJOR), attribute(MINOR)),
        multiprocessors=attribute(MULTIPROCESSORS),
        memory=memory.value,
        driver=f"{version.value // 1000}.{version.value % 1000 // 10}",
        identity=_identity(driver, handle),
    )


def _identity(driver: Any, handle: Any) -> str:
    """The UUID of a device as tools write it; empty where the driver does not tell."""
    ask = getattr(driver, "cuDeviceGetUuid_v2", None) or getattr(driver, "cuDeviceGetUuid", None)
    found = ctypes.create_string_buffer(16)
    if ask is None or ask(found, handle) != 0:
        return ""
    return f"GPU-{uuid.UUID(bytes=found.raw)}"


def too_old(driver: str) -> str:
    """What is wrong where the driver is older than the packages that are installed; empty if nothing is."""
    supported = int(driver.split(".")[0])
    if supported < OLDEST:
        return f"the NVIDIA driver is too old: it supports CUDA {driver}, needed is {OLDEST}.0 or later"
    wanted = _packages_of()
    if supported < wanted:
        return f"the NVIDIA driver supports CUDA {driver}, the packages are of {wanted}: pip install 'gpumcts[cuda12]'"
    return ""


def too_early(capability: tuple[int, int]) -> str:
    """What is wrong where the kernels use what the device lacks; empty if nothing is."""
    if capability >= LEAST:
        return ""
    return f"the device has compute capability {_dotted(capability)}, needed is {_dotted(LEAST)} or later"


def wrong_packages(capability: tuple[int, int]) -> str:
    """What is wrong where the packages compile for later devices alone, whatever the driver; empty if nothing is."""
    if capability >= LEAST_OF_13 or _packages_of() < 13:
        return ""
    return (
        f"the device has compute capability {_dotted(capability)}, the packages are of CUDA 13, "
        f"which needs {_dotted(LEAST_OF_13)} or later: pip install 'gpumcts[cuda12]'"
    )


def _packages_of() -> int:
    """The version of CUDA that the installed packages are of, 0 where there are none."""
    try:
        return int(metadata.version("cuda-bindings").split(".")[0])
    except metadata.PackageNotFoundError:
        return 0


def _dotted(capability: tuple[int, int]) -> str:
    return ".".join(map(str, capability))


def missing_packages(driver: str, capability: tuple[int, int] = LEAST_OF_13) -> str:
    """Packages that CUDA needs and that are missing, with the extra that brings them; empty if none is."""
    missing = [name for name, module in (("numba-cuda", "numba_cuda"), ("CuPy", "cupy")) if not _installed(module)]
    if not missing:
        return ""
    extra = "cuda12" if driver.startswith("12.") or capability < LEAST_OF_13 else "cuda13"
    return f"{' and '.join(missing)} not installed: pip install 'gpumcts[{extra}]'"


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


# --------------------------------------------------------------------------------------------------------- all devices


@functools.cache
def say_device() -> None:
    """Say on standard error, once a process, on which device it plays."""
    found, chosen = describe(), os.environ.get(VARIABLE)
    words = [found.identity] if found.identity else []
    words += [f"{VARIABLE}={chosen}"] if chosen is not None else []
    more = f" ({', '.join(words)})" if words else ""
    print(f"gpumcts: playing on {found.name}{more}", file=sys.stderr)


def every_device() -> list[DeviceInfo]:
    """All devices of this machine, those too that ``CUDA_VISIBLE_DEVICES`` hides; empty where no driver tells.

    Asked in a process of its own, since a driver reads the variable but once.
    """
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, "-m", __name__]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS_TO_LIST)
        return [DeviceInfo(*fields) for fields in json.loads(done.stdout)]
    except (OSError, subprocess.SubprocessError, ValueError):
        return []


def shown() -> list[DeviceInfo]:
    """The devices that the driver shows to this process."""
    try:
        driver = driver_library()
        return [_described(driver, number) for number in range(_count(driver)[1])]
    except (OSError, AttributeError):
        return []


if __name__ == "__main__":
    print(json.dumps(shown()))
