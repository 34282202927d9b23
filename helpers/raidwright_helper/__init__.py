"""The privileged helper: a small D-Bus service that runs as root and performs the methods that polkit authorises.

It takes values, never commands; `dispatcher` is its one door, `guards` stand between it and the disks.
"""
