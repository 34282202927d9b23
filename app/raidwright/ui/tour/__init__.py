"""A tour in practice: a disk fails, the array is degraded, the disk is replaced, and md rebuilds."""
