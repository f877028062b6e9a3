"""Planning in Markov decision problems: value iteration, and planners that answer many queries at once (document 003)."""

from gpumcts import options

options.FOLDERS.setdefault("planner", __name__)
