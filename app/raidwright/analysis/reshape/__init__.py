"""What a plan's array can still become, by what md and mdadm do."""
