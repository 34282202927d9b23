"""The Plan station: choose a layout and see what it means."""
