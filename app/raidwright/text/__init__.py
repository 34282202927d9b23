"""Sentences that both the window and the command line say."""
