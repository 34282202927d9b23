"""What other programs and people write, read into our values: shell commands, mdadm's options, mdadm's reports."""
