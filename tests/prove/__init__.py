"""The core's figures against the real driver and the real mdadm: ``make prove``."""
