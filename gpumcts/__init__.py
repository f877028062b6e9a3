"""gpumcts: Monte-Carlo playout research on two-player games; UCT trees on the CPU, playouts in batches on CPU or CUDA."""

__version__ = "0.1.0"
