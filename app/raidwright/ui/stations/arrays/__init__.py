"""The machine's arrays: how they are, and their checks and ends."""
