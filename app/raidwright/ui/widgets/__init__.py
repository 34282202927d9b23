"""Widgets shared by the stations."""
