"""What surrounds an array: file systems, settings, the system's files, and what measures it."""
