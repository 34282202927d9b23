"""Imagined disks, to plan with before buying, and the ways on from them."""
