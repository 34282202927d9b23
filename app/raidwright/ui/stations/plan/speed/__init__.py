"""Predicted speed of a plan: beside it, and on a page with every workload."""
