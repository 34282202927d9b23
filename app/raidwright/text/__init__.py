"""Sentences shared by the window and the command line."""
