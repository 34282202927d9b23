"""The least that can be drawn with these parts."""
