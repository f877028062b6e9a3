"""Questions the documents leave open: what their runs are called, and what their sweeps end with."""

from experiments.playout_comparison import comparison
from experiments.recovery import recovery

TITLES = {
    "recovery": "Recovery from poor early choices (document 004, remark 1)",
    "decay": "Accelerated UCT with a decay that sets itself (document 002, section 6)",
    "evaluation": "UCT with an evaluation against plain UCT (document 000, section 4)",
}

CONCLUSIONS = {"recovery": recovery, "decay": comparison, "evaluation": comparison}
