"""Displays for the window: only reachable ones, since Qt aborts the program without one."""

from __future__ import annotations

import ctypes
import os
import socket
from pathlib import Path

from raidwright.core.errors import InputError

_PLATFORM = "QT_QPA_PLATFORM"
_NEEDS = {"xcb": "DISPLAY", "wayland": "WAYLAND_DISPLAY"}  # Qt's platforms by the variable that names their display


def check_display() -> None:
    """Raise InputError if no display is reachable; make Qt use the reachable one if several are named."""
    if chosen := os.environ.get(_PLATFORM):
        platforms = [name.partition(":")[0].partition("-")[0] for name in chosen.split(";")]
        if any(name not in _NEEDS for name in platforms):  # such as "offscreen", which needs none
            return
    else:
        platforms = ["wayland", "xcb"]
    named = [name for name in platforms if os.environ.get(_NEEDS[name])]
    if not named:
        raise InputError(
            "There is no display here to open the window on. The subcommands work without one: see raidwright --help.",
            code="no-display",
        )
    answering = [name for name in named if _answers(name)]
    if not answering:
        raise InputError(
            "There is no display here to open the window on: {displays} doesn't answer. If it is another user's, open "
            "the window as that user. The subcommands work without a display: see raidwright --help.",
            code="no-display",
            displays=" ".join(f"{_NEEDS[name]}={os.environ[_NEEDS[name]]}" for name in named),
        )
    if answering != named:
        os.environ[_PLATFORM] = answering[0]


def has_display() -> bool:
    """Return whether a window can be opened here."""
    try:
        check_display()
    except InputError:
        return False
    return True


def _answers(platform: str) -> bool:
    return _x_answers() if platform == "xcb" else _wayland_answers()


def _x_answers() -> bool:
    """Return whether the X server of DISPLAY accepts us; True without libxcb, whose absence Qt then reports."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    try:
        return not xcb.xcb_connection_has_error(connection)
    finally:
        xcb.xcb_disconnect(connection)


def _wayland_answers() -> bool:
    """Return whether a compositor listens at WAYLAND_DISPLAY's socket (wayland(7))."""
    if os.environ.get("WAYLAND_SOCKET"):
        return True
    path = Path(os.environ.get("XDG_RUNTIME_DIR", "/nonexistent"), os.environ["WAYLAND_DISPLAY"])
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(str(path))
        except (OSError, ValueError):
            return False
    return True
