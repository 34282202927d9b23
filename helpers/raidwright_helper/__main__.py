"""`raidwright-helper`: activated by the bus on a call, exits by itself when idle."""

from __future__ import annotations

import asyncio
import logging
import sys

from raidwright_helper.service.service import ServiceSettings, serve


def main() -> int:
    """Serve on the system bus; return the exit code."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    asyncio.run(serve(ServiceSettings()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
