"""Rescue of an array that doesn't start: a dialog, opened from the array's line."""
