"""Selection rules: one file each, on the contract of :mod:`gpumcts.tree.selection.contract`."""
