"""What the helper keeps on disk between its starts."""
