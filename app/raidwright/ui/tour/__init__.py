"""A tour in practice: a disk fails, the array degrades, the disk is replaced, and one watches the rebuild."""
