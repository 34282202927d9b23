"""What stations are made of."""
