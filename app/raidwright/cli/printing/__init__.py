"""What several commands print alike."""
