"""``make wheel-check``: the wheel alone, on a bare Debian, set up as README.md says."""
