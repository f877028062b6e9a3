"""SGF (FF[4], GM[1]): games of Go in and out. Plain Python, never compiled.

``grammar``: the text as nodes and properties, main line alone; ``properties``: what they mean; ``reading``: the game
played through, by our rules; ``writing``: a game as text.
"""

from gpumcts.games.go.sgf import reading, writing

__all__ = ["reading", "writing"]
