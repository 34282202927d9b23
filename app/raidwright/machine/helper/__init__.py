"""Client of the privileged helper."""
