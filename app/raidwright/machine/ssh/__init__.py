"""A machine's system bus over the system's own ssh, and polkit's questions there."""
