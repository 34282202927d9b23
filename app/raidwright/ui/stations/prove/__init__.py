"""The Prove station: benchmarks of plans on the disks themselves."""
