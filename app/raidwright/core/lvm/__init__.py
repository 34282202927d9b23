"""LVM volumes over md arrays on slices of disks: their layout, space, commands and growth."""
