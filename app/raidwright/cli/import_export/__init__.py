"""Import and export of plans in other programs' formats."""
