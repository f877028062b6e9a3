"""The Python interface behind the names of :mod:`gpumcts`: options, positions, searches, playout tallies, matches."""
