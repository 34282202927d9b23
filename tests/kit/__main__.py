"""Open the window, or without a display make the unattended journey: ``make run``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from raidwright import cli
from raidwright.cli.display import has_display
from raidwright.core.errors import RaidwrightError

from .tour import make_journey

_BUS_SOCKET = Path("/run/dbus/system_bus_socket")
_UDISKS_SERVICE = Path("/usr/share/dbus-1/system-services/org.freedesktop.UDisks2.service")
_REPORT = Path("build/journey")


def main() -> int:
    """Return 0 when the window was closed, or the journey completed."""
    parser = argparse.ArgumentParser(prog="make run", description=__doc__)
    parser.add_argument("--report", type=Path, default=_REPORT, help="where the journey leaves its report")
    options = parser.parse_args()
    if has_display():
        return _open_window()
    try:
        make_journey(options.report, say=lambda text: print(text, flush=True))
    except RaidwrightError as error:
        print(f"make run: {error.sentence}", file=sys.stderr)
        return error.exit_code
    return 0


def _open_window() -> int:
    if _BUS_SOCKET.is_socket() and _UDISKS_SERVICE.exists():
        return cli.main([])
    print("This computer has no UDisks2, so the window opens on the practice machine.", flush=True)
    return cli.main(["gui", "--practice", "4x8TB"])


if __name__ == "__main__":
    sys.exit(main())
