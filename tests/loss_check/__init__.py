"""How likely a loss is: ours against published figures, and chains against simulation. ``make loss-check``."""
