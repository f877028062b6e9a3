"""The packages that the check of a device needs; importing this needs none of them."""

from importlib.util import find_spec

NEEDED = {  # modules and their packages; numba-cuda and CuPy are named where the driver is asked
    "annotated_types": "annotated-types",
    "filelock": "filelock",
    "numba": "numba",
    "numpy": "numpy",
    "psutil": "psutil",
    "pytest": "pytest",
}
REMEDY = "pip install -e '.[test]' -c constraints.txt"


def missing() -> str:
    """What is not installed, and what brings it, on one line; empty where all is there."""
    packages = [package for module, package in NEEDED.items() if find_spec(module) is None]
    return f"{', '.join(packages)} not installed: {REMEDY}" if packages else ""
