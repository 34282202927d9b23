"""The Disks station: the machine's disks, and the choice of those for the array."""
