"""How compiled code comes to be and is kept: numba's options, the disk cache, classes' names, processes that share the
work."""
