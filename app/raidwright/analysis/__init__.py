"""What is worked out of a plan: exact where it can be, with its band where it can't. No input and no output."""
