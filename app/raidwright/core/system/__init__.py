"""Surroundings of an array: file systems, settings, system files, and measurements."""
