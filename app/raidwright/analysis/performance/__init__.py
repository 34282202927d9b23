"""How fast an array will be, from what its disks do alone and from what md does with a request; pure and quick."""
