"""Disks as plain values, for ``raidwright disks --json`` and for the records of a run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from raidwright.core.model.disk import Disk, Use, UseKind

_USERS = {
    UseKind.SYSTEM: "mount",
    UseKind.MOUNTED: "mount",
    UseKind.LOG: "mount",
    UseKind.LOOP: "loop",
    UseKind.EXPORT: "export",
    UseKind.PROCESS: "process",
    UseKind.READER: "process",
    UseKind.SWAP: "holder",
    UseKind.HELD: "holder",
    UseKind.ARRAY_MEMBER: "holder",
}


def disk_as_json(disk: Disk) -> dict[str, Any]:
    """Return every field of ``disk`` under its own name, plus ``free``, ``live``, and ``used_by``, what uses it now."""
    users = [_user(use) for use in disk.uses if use.kind in _USERS]
    return asdict(disk) | {"free": disk.is_free, "live": disk.is_live, "used_by": users}


def _user(use: Use) -> dict[str, Any]:
    told = {"kind": _USERS[use.kind], "name": use.detail, "partition": use.partition, "through": use.through}
    if use.pid:
        told["pid"] = use.pid
    return told | ({"writes": use.kind is UseKind.PROCESS} if _USERS[use.kind] == "process" else {})
