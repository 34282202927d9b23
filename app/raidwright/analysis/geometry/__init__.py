"""Geometry of plans: the member and row of every chunk, copy and parity block, and the cells that an access touches."""
