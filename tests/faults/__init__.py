"""What if it stops here? Each step of a build, struck by each fault, in the practice machine; ``make faults``."""
