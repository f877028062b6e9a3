"""What all tests share: a test that needs a CUDA device is skipped, by name, where there is none."""

import pytest

from gpumcts.kernels.engines import cuda_problem


def pytest_collection_modifyitems(items):
    needing = [item for item in items if item.get_closest_marker("gpu")]
    problem = cuda_problem() if needing else ""
    for item in needing if problem else []:
        item.add_marker(pytest.mark.skip(reason=problem))
