"""Runs held against each other: how much faster, whether that is beyond noise, and whether they compare at all."""
