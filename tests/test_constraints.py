"""Files of pinned versions: each extra has a file that pins what it asks for, and what Hydra's plugins ask for."""

import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FILES = {"cuda12": "constraints-cuda12.txt", "ray": "constraints-ray.txt"}


def pins(file):
    """The versions that a file of constraints allows of each package, by the package's canonical name."""
    found = {}
    for line in (ROOT / file).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            pin = Requirement(line)
            found.setdefault(canonicalize_name(pin.name), set()).update(one.version for one in pin.specifier)
    return found


def unmet(words, file):
    """What of some requirements a file does not pin, or pins to a version that they refuse."""
    asked = [Requirement(word) for word in words]
    asked = [one for one in asked if one.name != "gpumcts" and (one.marker is None or one.marker.evaluate())]
    there = pins(file)
    versions = {str(one): there.get(canonicalize_name(one.name), set()) for one in asked}
    return [str(one) for one in asked if not any(map(one.specifier.contains, versions[str(one)]))]


@pytest.mark.parametrize("extra", ["", *PROJECT["optional-dependencies"]])
def test_what_an_extra_asks_for_is_pinned(extra):
    words = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    assert unmet(words, FILES.get(extra, "constraints.txt")) == []


@pytest.mark.parametrize("name", ["joblib", "submitit", "ray", "optuna"])
def test_what_a_plugin_of_hydra_asks_for_is_pinned(name):
    """The very fault of Ray's launcher: it refuses the cloudpickle that joblib needs."""
    (package,) = [one for one in PROJECT["optional-dependencies"][name] if one.startswith("hydra-")]
    try:
        words = metadata.requires(Requirement(package).name) or []
    except metadata.PackageNotFoundError:
        pytest.skip(f"extra {name} is not installed")
    assert unmet(words, FILES.get(name, "constraints.txt")) == []


def test_a_pin_that_is_missing_or_refused_is_seen():
    assert unmet(["cloudpickle<3", "joblib>=1.6", "numba==0.68.*"], "constraints.txt") == ["cloudpickle<3"]
    assert unmet(["cloudpickle<3", "joblib>=1.6", "nothing"], "constraints-ray.txt") == ["joblib>=1.6", "nothing"]
