"""What holds for all tests, whoever runs them: nobody else may write what they make, and they read English."""

from __future__ import annotations

import os

os.umask(0o022)
os.environ["LANGUAGE"] = "en"
