"""Playout policies: one file each, on the contract of :mod:`gpumcts.playouts.contract`."""
