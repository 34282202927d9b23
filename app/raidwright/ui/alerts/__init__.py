"""Messages about arrays, in the window."""
