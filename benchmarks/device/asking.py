"""Writes what keeps the device from being used into a file, as a line of JSON: run by ``process.device_problem``."""

import json
import sys
from pathlib import Path

from gpumcts.kernels.engines import cuda_problem

if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps({"problem": cuda_problem()}) + "\n", "utf-8")
