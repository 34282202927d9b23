"""Rankings of pools with their reasons, and whether an expert would approve each first pick; ``make ranking-check``."""
