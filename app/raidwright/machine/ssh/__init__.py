"""A machine's system bus over OpenSSH, and a polkit agent for it."""
