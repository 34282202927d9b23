"""What UDisks2 says of a machine: its objects followed, and made into values."""
