"""The core's figures held against the real driver and the real mdadm: ``make prove``."""
