"""The shoot-out: candidates built on a slice of each disk, measured, and removed again."""
