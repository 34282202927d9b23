"""Plans for a pool of disks, and their ranking."""
