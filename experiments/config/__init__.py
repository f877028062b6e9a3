"""Typed values of a configuration: schema, validation, positions, budgets."""
