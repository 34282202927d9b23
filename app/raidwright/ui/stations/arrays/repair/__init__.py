"""Disk replacement: the missing member, its replacement, the rebuild, and a check afterwards."""
