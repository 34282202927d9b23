"""What everything speaks of: a plan, the disks that it is made of, and both as text."""
