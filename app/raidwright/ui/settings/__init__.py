"""User settings of the window, and their dialog."""
