"""``make published-check``: arrays measured by others against predictions from their single disks.

``setups.csv`` and ``rows.csv`` have every published figure of an md array for which a figure of one of its disks, or
their data sheet, is known; ``left_out.csv`` has the figures that can't be compared, and why. Figures are as their
authors published them. Nothing in the program is fitted to them.
"""
