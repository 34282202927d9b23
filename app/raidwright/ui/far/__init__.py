"""Machines over ssh, in the window: which one, its questions, and a link that is lost."""
