"""The test kit: the real window driven on a virtual screen, and drawn from fixed values."""
