"""Commands over the library, each a Hydra application: match, playouts, perft, search, report, doctor."""
