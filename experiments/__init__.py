"""Commands over the library, each a Hydra application; the rooms below hold what they are made of."""
