"""The host as it is: disks, arrays, mounts, and the programs that tell of them."""
