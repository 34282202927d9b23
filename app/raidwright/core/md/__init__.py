"""md's and mdadm's rules for a plan: layouts, sizes to the sector, fault tolerance, refusals, and the command."""
