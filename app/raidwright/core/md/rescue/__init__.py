"""Rescue on the disks themselves: hypotheses, what to ask of the stripes, and the search that the answers narrow."""
