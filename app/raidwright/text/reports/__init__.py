"""A plan as a page to keep, to send and to print."""
