"""The Build station: review, confirmation, progress, and the built array."""
