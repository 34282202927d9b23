"""Common values: plans, disks, and the text formats of both."""
