"""Plans for a pool of disks, and which of them fits best."""
