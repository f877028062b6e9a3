"""The kinds of players, a module each: its name is the player's, and its ``KIND`` says all there is to it."""
