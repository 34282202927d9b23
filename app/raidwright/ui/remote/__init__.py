"""Machines over ssh in the window: address, authentication, and lost connections."""
