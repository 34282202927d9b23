"""Reshapes, growths and level changes that stay possible for a plan's array, by the rules of md and mdadm."""
