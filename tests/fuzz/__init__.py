"""Attacks on the installed helper in the practice machine, judged from outside of it; ``make fuzz``."""
