"""Code that runs inside the practice machine. Standard library only, with as few imports as possible."""
