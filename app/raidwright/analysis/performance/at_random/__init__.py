"""Requests all over an array, one at a time or many."""
