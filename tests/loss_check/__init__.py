"""Probability of loss against published figures, independent Markov chains and simulation; ``make loss-check``."""
