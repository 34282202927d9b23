"""The shoot-out: candidates built for real on a slice of each disk, measured, and taken away again."""
