"""The Build station: review, confirmation, progress, and the array that stands."""
