"""Random I/O on an array, at any queue depth."""
