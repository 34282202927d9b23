"""Offline help: the project's documents in a separate window, and information on the program."""
