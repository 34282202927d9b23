"""Commands to a practice machine's disks, as JSON on a control connection."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from raidwright.core.errors import MachineError

from .disk import disk_from_json
from .server import DiskServer, Fault

_MIN_ROOM_BYTES = 256 * 2**20  # free space for the disks' contents at the start


def obey(disks: DiskServer, order: dict[str, Any]) -> Any:
    """Execute one of ``{"add": disk}``, ``{"pull": serial}``, ``{"cut": serial}``, ``{"plug": serial}``, ``{"spoil":
    serial, "first_byte": n, "end_byte": n}``, ``{"sleep": serial}``, ``{"fault": kind, "serial": serial}`` and
    ``{"limit": bytes}``, or answer ``{"list": "plugged in" or "pulled"}``, ``{"power": serial}`` and ``{"store":
    true}``; return the answer, for JSON.

    Raises RaidwrightError.
    """
    match order:
        case {"add": fields}:
            disks.add(disk_from_json(fields))
        case {"pull": serial}:
            disks.pull(serial)
        case {"cut": serial}:
            disks.cut(serial)
        case {"spoil": serial, "first_byte": first_byte, "end_byte": end_byte}:
            disks.spoil(serial, first_byte, end_byte)
        case {"sleep": serial}:
            disks.sleep(serial)
        case {"plug": serial}:
            disks.plug(serial)
        case {"fault": kind, "serial": serial}:
            disks.fault(serial, Fault(kind))
        case {"limit": size_bytes}:
            disks.limit(size_bytes)
        case _:
            return _told(disks, order)
    return None


def _told(disks: DiskServer, order: dict[str, Any]) -> Any:
    match order:
        case {"list": which}:
            return disks.plugged_in() if which == "plugged in" else disks.pulled()
        case {"power": serial}:
            return asdict(disks.power(serial))
        case {"store": _}:
            return asdict(disks.store())
    return None


def ask_for_room(disks: DiskServer) -> None:
    """Raise MachineError if there is too little free space for the first writes to the disks."""
    state = disks.store()
    if state.room_bytes < _MIN_ROOM_BYTES:
        raise MachineError(
            "What is written to the practice machine's disks needs {needed_bytes:binary} at least; "
            "{folder} has room for {room_bytes:binary}. Make room there, or set TMPDIR to a folder "
            "that has it.",
            code="no-room",
            needed_bytes=_MIN_ROOM_BYTES,
            folder=state.folder,
            room_bytes=state.room_bytes,
        )
