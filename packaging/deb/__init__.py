"""The two Debian packages, ``raidwright-helper`` and ``raidwright``: ``make deb``."""
