"""What should be known before a plan is built."""
