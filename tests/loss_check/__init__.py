"""How likely a loss is: ours against published figures, chains of its own and simulation; ``make loss-check``."""
