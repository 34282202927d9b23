"""Questions that each layer answers in its own way: an md array, a volume over arrays."""
