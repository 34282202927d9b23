"""What md and mdadm do with a plan: layouts, space to the sector, survival, refusals, and the command."""
