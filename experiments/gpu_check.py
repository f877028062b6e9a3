"""All that needs a CUDA device, into one folder: the tests, then the benchmark; or a campaign over several calls.

    python -m experiments.gpu_check FOLDER [--minutes 8] [--suites playouts,ways,batches,...]
    python -m experiments.gpu_check --campaign FOLDER --minutes 9 [--sizes brief]

``tests.txt``       what pytest said: tests marked ``gpu`` and not ``slow``, shared out to several processes
``figures.json``    every step, every figure, the bars; written anew after every step
``table.txt``       the same for people
``campaign.json``   what every step came to: a campaign goes on with it where the last call ended
``crossover.json``  which engine is fastest for how many trees and playouts
``kernels.json``    which kernel is fastest where there are several, and with how many registers

Kernels are compiled first, on all cores. Every step has a process and a time of its own, so that one that fails or
hangs costs no other. A campaign runs what failed again, compares kernels and caps on registers, puts both tables where
``engine=auto`` and the engines look for them, and lets NVIDIA's tools look at kernels where they are installed.

Takes no more than numpy, numba, numba-cuda, CuPy, pytest, psutil, annotated-types and filelock, and no network. The
exit code is 0 where all is done, 1 where something failed, 2 where no device can be used, 3 where time was over first:
call again.
"""

import sys

from benchmarks.device.command import main

if __name__ == "__main__":
    sys.exit(main("python -m experiments.gpu_check", str(__doc__).splitlines()[0]))
