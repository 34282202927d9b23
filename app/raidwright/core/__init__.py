"""What is true of disks and arrays: pure functions over frozen values."""
