"""How fast a plan will be: beside it, and on a page with every workload."""
