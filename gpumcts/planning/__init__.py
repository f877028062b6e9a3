"""Planning in Markov decision problems: value iteration, and planners that answer many queries at once (Kocsis and
Szepesvári 2006)."""

from gpumcts import options

KIND = "planner"
"""The kind of option that planners are, as ``options.option`` takes it."""

options.FOLDERS.setdefault(KIND, __name__)
