"""The test kit: the real window, driven on a virtual screen or drawn from fixed values."""
