"""``make wheel-check``: the wheel alone, on a bare Debian, set up as docs/installing.md says."""
