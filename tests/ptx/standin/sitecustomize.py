"""Python imports this as it starts, where the emulator is on: see ``tests/ptx/README.md``."""

import os
import sys

if root := os.environ.get("GPUMCTS_PTX_ROOT"):
    sys.path.append(root)
    from tests.ptx import linking

    linking.install()
