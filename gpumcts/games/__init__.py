"""Games: one file each, on the contract of :mod:`gpumcts.games.contract`."""
