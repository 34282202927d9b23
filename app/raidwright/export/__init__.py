"""What is written for people to keep: cards, scripts, lines."""
