"""The practice machine: a Linux kernel in user space with virtual disks."""
