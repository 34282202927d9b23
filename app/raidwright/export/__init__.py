"""Exports of plans and results: cards, scripts, configuration."""
