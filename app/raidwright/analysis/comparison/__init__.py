"""Comparison of runs: the ratio of their rates, its significance, and the conditions that must match."""
