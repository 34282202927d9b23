"""What a person sets of the window, and the dialog for it."""
