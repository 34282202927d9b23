"""What runs inside the practice machine. Standard library only, and started with as few imports as can be."""
