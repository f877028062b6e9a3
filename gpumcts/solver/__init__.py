"""Exact values of games without chance."""
