"""Before buying: pools of imagined disks, held against each other and then planned."""
