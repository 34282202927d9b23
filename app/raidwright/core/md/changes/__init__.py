"""Changes of an existing array: the ways from its plan to a requested one, each a list of steps."""
