"""The service itself: the bus, the one door, permission, jobs, the journal."""
