"""Players: who can sit at a board. Each chooses moves for many positions at once."""
