"""``raidwright run``: what ``make run`` does. Opens the window; without a display makes the journey unattended."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from raidwright.machine.connection import PracticeSpec

from .gui import open_window

_BUS_SOCKET = Path("/run/dbus/system_bus_socket")
_UDISKS_SERVICE = Path("/usr/share/dbus-1/system-services/org.freedesktop.UDisks2.service")
_REPORT = Path("build/journey")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("run", help="open the window, or make the journey where there is no display")
    parser.add_argument("--report", type=Path, default=_REPORT, help="where the journey leaves its report")


def run(options: argparse.Namespace) -> int:
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return _open_window()
    from raidwright.journey import tour  # noqa: PLC0415 -- only where there is no display

    tour.make_journey(options.report, say=lambda text: print(text, flush=True))
    return 0


def _open_window() -> int:
    if _BUS_SOCKET.is_socket() and _UDISKS_SERVICE.exists():
        return open_window()
    print("This computer has no UDisks2, so the window opens on the practice machine.", flush=True)
    return open_window(practice=PracticeSpec())
