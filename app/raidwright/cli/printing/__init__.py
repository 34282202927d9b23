"""Output shared by several commands."""
