"""Plans brought in from what others wrote, and carried out as what others read."""
