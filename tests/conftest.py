"""What holds for all tests, whoever runs them: nobody else may write what they make, and they read English."""

from __future__ import annotations

import gc
import os

os.umask(0o022)
os.environ["LANGUAGE"] = "en"


def pytest_collection_finish() -> None:
    """Keep modules and thousands of collected tests out of what each later collection of garbage goes through."""
    gc.collect()
    gc.freeze()
