"""Predicted performance of an array, from its disks' speeds alone and md's handling of requests; pure and fast."""
