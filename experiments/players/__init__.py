"""From a checked configuration to players: registry, preflight, construction, external engines, matched budgets."""
