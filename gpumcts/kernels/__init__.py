"""Batches: the rules and the playouts of many positions at once, on the CPU and on CUDA."""
