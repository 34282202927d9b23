"""The Disks station: which disks there are, and which the array may use."""
