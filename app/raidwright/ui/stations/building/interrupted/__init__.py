"""Unfinished work of an earlier start of the program."""
