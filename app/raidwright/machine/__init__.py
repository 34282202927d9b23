"""A machine with disks, reached over its system bus."""
