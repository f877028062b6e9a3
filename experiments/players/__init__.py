"""From a checked configuration to players: registry, preflight checks, construction, external engines, budgets that match."""
