"""Arrays in every state that a machine can find them in, made for real, listed, explained, and started or refused."""
