"""``make deb-check``: the two Debian packages, built twice, and installed on bare Debians."""
