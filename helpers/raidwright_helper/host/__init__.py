"""The host's state: disks, arrays, mounts, and the programs that report them."""
