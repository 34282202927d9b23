"""The Prove station: trying a plan on the disks themselves."""
