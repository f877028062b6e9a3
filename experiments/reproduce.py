"""Results as data: what the papers claim, what has been measured, and how to go on.

    python -m experiments.reproduce                                      # how much of each paper is done, what is next
    python -m experiments.reproduce --list                               # every run: state, verdicts, core hours
    python -m experiments.reproduce run=hashimoto2012accelerated/table1a/othello-k3  # one run, as the list names it
    python -m experiments.reproduce item=hashimoto2012accelerated/table1a            # what is missing of an item
    python -m experiments.reproduce --all --hours 8                      # what is missing, in the catalogue's order
    python -m experiments.reproduce item=kocsis2006improved/fig4 --collect multirun/kocsis2006improved/fig4-document
    python -m experiments.reproduce --again 10                           # ten random cells' first ten games, once more
    python -m experiments.reproduce --again item=hashimoto2012accelerated/fig2   # those of all cells of an item
    python -m experiments.reproduce --pages                              # docs/papers from results/
    python -m experiments.reproduce --check                              # files fit what they hold, pages fit files

Runs work in ``outputs/reproduce``, stop and go on; a finished one writes its cells into ``results/``.
"""

import sys

from experiments.reproduction.command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
