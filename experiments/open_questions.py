"""Questions the documents leave open: what their runs are called, and what their sweeps end with."""

from experiments.recovery import recovery

TITLES = {"recovery": "Recovery from poor early choices (document 004, remark 1)"}

CONCLUSIONS = {"recovery": recovery}
