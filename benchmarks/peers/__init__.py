"""Programs of the benchmark to measure against, and how to build them."""
