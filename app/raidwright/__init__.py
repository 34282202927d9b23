"""Raidwright: see every md layout, prove it on your disks, build it safely."""

__version__ = "0.1.0"
