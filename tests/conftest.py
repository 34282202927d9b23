"""What holds for all tests: nobody else may write what they make, whatever the umask of whoever runs them."""

from __future__ import annotations

import os

os.umask(0o022)
