"""Pools ranked with their reasons, and whether the first of each would be signed. ``make ranking-check``."""
