"""Changing an array's shape: the ways beside each other, the steps of the chosen one, and its progress."""
