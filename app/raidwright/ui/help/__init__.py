"""Help without a network: the project's documents in a window of their own, and what this program is."""
