"""Fault injection: each step of a build interrupted by each fault, in the practice machine; ``make faults``."""
