"""The privileged helper: a small D-Bus service that runs as root and does what polkit lets its caller do.

It takes values, never commands; `dispatcher` is its one door, `guards` stand between it and the disks.
"""
