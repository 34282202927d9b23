"""Client of UDisks2: its objects, followed and converted to values."""
