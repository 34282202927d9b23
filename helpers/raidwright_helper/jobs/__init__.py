"""Beneath all other rooms: jobs, claims on disks, trials, the journal, and values as the bus takes them."""
