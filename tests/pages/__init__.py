"""Every page of the window, drawn and measured: ``make pages``."""
