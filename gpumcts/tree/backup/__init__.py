"""Backup operators: one file each, on the contract of :mod:`gpumcts.tree.backup.contract`."""
