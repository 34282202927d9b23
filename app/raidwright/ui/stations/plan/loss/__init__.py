"""The probability of data loss: in brief beside the plan, and on a page with every assumption."""
