"""Plans in words: names, candidates, survival, speed, loss, exports."""
