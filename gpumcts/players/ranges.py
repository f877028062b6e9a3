"""Ranges and words that keys of a player take, for descriptions in Python and for the commands alike."""

from typing import Annotated, Literal

from annotated_types import Interval

from gpumcts.alpha_beta.table import MAX_DEPTH

Iterations = Annotated[int, Interval(ge=1, le=2**31 - 1)]
Playouts = Annotated[int, Interval(ge=1, le=1_000_000)]
Nodes = Annotated[int, Interval(ge=1, le=2**53)]
Depth = Annotated[int, Interval(ge=1, le=MAX_DEPTH)]
TableMebibytes = Annotated[int, Interval(ge=1, le=1_048_576)]
Uctk = Annotated[float, Interval(ge=0, le=1e6)]
Best = Literal["win_rate", "visits"]
Leaf = Literal["evaluation", "playout"]
Ties = Literal["random", "first", "noisy", "noisiest"]

# of external engines
Patience = Annotated[float, Interval(gt=0, le=1e6)]
Processes = Annotated[int, Interval(ge=1, le=4096)] | None
GtpSeconds = Annotated[int, Interval(ge=1, le=86_400)]
UciSeconds = Annotated[float, Interval(gt=0, le=86_400)]
UciDepth = Annotated[int, Interval(ge=1, le=1000)]
UciNodes = Annotated[int, Interval(ge=1, le=10**15)]
