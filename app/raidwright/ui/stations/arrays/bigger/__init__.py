"""A short walk on which an array becomes bigger: which way, what happens, and its progress."""
