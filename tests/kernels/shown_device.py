"""A machine that seems to have a CUDA device, for tests of what is asked of it."""

import pytest

from gpumcts.kernels import crossover, engines


def shown_device(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Show a device that works, until the test ends; the list gets an item each time somebody tries the device."""
    asked: list[str] = []
    monkeypatch.delenv(crossover.VARIABLE, raising=False)
    shown = engines.device.DeviceInfo("A device", (9, 0), 132, 1 << 36, "13.0")
    monkeypatch.setattr(engines.device, "describe", lambda: shown)
    monkeypatch.setattr(engines, "cuda_problem", lambda: asked.append("tried") or "")
    return asked
