"""``make bare-check``: README.md's two commands for a checkout, on Debians that hold nothing yet."""
