"""Searches on the host: waves of trees, the loops over iterations, threads that share a tree, leaves in flight."""
