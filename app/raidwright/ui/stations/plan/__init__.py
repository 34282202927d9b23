"""The Plan station: choose a layout and see its properties."""
