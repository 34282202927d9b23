"""Runs that others measured: what their programs print, as runs of the store."""
