"""Suites of figures, peers to hold them against, and the check of a device."""
