"""Rescue of an array that doesn't start: its examined disks, and the ordered attempts that the evidence suggests."""
