"""A lost disk, to the end: what is missing, what takes its place, the rebuild, and what a check then finds."""
