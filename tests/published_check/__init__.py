"""``make published-check``: what others measured, held against what is predicted from their single disks.

``setups.csv`` and ``rows.csv`` hold every figure of an md array that was found with a figure of one of its disks beside
it, or with disks whose data sheet is known; ``left_out.csv`` what can't be held against anything, and why. Figures are
as their authors published them. Nothing in the program is fitted to them.
"""
