"""Model of disks and arrays: pure functions over frozen values."""
