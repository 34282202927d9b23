"""``make attack-check``: acts and looks at arrays in use, in drawn sequences, judged by the files' checksums."""
