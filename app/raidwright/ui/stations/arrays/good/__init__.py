"""The judgement of an array: a verdict, what was looked at, and the one thing to do."""
