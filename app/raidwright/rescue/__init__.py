"""Arrays that don't start, read from their disks' superblocks: the table, and the attempts in the order to try them."""
