"""Commands on measured runs, and comparisons."""
