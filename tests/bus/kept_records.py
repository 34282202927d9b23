"""A valid record of each of the helper's kinds, and all kinds of damage."""

from __future__ import annotations

import copy
import json
import os
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raidwright_helper.service.service import ServiceSettings

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
OTHER_UUID = "ffffffff:0a1b2c3d:0a1b2c3d:0a1b2c3d"
BUILD, OTHER_BUILD = "0" * 31 + "1", "0" * 31 + "2"
CHANGE, OTHER_CHANGE = "01790000000000000001", "01790000000000000002"
RULES = "/etc/udev/rules.d/90-raidwright-0a1b2c3d-0a1b2c3d-0a1b2c3d-0a1b2c3d.rules"
_MEMBER = {"id": "wwn-0x5001", "size_bytes": 8388608, "model": "WD80EFZX", "serial": "ZHZ1", "disk": None}
_SAVED = {"file": "disk-0.bin", "extents": [{"offset_bytes": 0, "length_bytes": 2097152}], "sha256": "0" * 64}
_OCCUPANT = {"slot": 0, "device": "/dev/sda", "model": "WD80EFZX", "serial": "ZHZ1", "size_bytes": 8388608}
_CHECK = {"name": "tank", "boot_id": "b", "began_s": 1790000000, "ended_s": 1790000900, "earlier_sectors": 0}


@dataclass(frozen=True, slots=True)
class Kept:
    """A record's path and content."""

    path: Path
    data: dict[str, Any]

    def put(self) -> None:
        """Write the valid record."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self.data), encoding="utf-8")


def kept(settings: ServiceSettings, *, other: bool = False) -> Mapping[str, Kept]:
    """Return a valid record of each kind, or another one."""
    uuid, build, change = (OTHER_UUID, OTHER_BUILD, OTHER_CHANGE) if other else (UUID, BUILD, CHANGE)
    file = f"{uuid.replace(':', '-')}.json"
    check = _CHECK | {"uuid": uuid, "state": "done", "mismatch_sectors": 8}
    steps = [
        {"at_s": 1790000000, "step": "wipe", "fields": {"disk": "wwn-0x5001", "signatures": ["ext4"]}},
        {"at_s": 1790000001, "step": "create", "fields": {"uuids": [uuid]}},
        {
            "at_s": 1790000002,
            "step": "done",
            "fields": {"uuid": uuid, "uuids": [uuid], "fingerprint": {"/0 head": "0"}},
        },
        {"at_s": 1790000003, "step": "dismantled", "fields": {"uuid": uuid, "left_as": ["0"]}},
        {"at_s": 1790000004, "step": "failed", "fields": {"left": ["a disk"]}},
    ]
    disk = dict(_MEMBER)
    member = {"member": disk, "names": ["ext4"], "saved": copy.deepcopy(_SAVED)}
    edit = {"path": RULES, "before": None, "after": "new\n", "mode": 0o644}
    return {
        "scratch": Kept(
            settings.notes / file,
            {"version": 2, "uuid": uuid, "boot_id": "b", "inner": [uuid], "owner": ":1.9", "members": [disk]},
        ),
        "build": Kept(
            settings.backups / build / "build.json",
            {"version": 2, "id": build, "name": "tank", "uid": os.getuid(), "began_s": 1790000000}
            | {"synchronises": True, "members": [member], "notes": steps},
        ),
        "checks": Kept(settings.checks / file, {"version": 2, "checks": [check, dict(check)]}),
        "change": Kept(
            settings.changes / f"{change}.json",
            {"version": 2, "id": change, "uid": 0, "array": "tank", "began_s": 1790000000}
            | {"edits": [edit], "standing": "done"},
        ),
        "members": Kept(settings.members / file, {"version": 2, "uuid": uuid, "occupants": [dict(_OCCUPANT)]}),
        "end": Kept(settings.ends / file, {"version": 2, "uuid": uuid, "hidden": "1000", "before": "max"}),
        "alert": Kept(
            settings.alerts / "waiting" / f"{build}.json", {"version": 2, "id": build, "alert": _alert(time.time())}
        ),
    }


def _alert(at_s: float) -> dict[str, Any]:
    return {"title": "tank on nas", "text": "a disk has failed", "at_s": int(at_s), "is_urgent": True}


def _text(text: str) -> Callable[[Kept], object]:
    return lambda one: one.path.write_text(text, encoding="utf-8")


def _changed(**changes: object) -> Callable[[Kept], object]:
    return lambda one: one.path.write_text(json.dumps(one.data | changes), encoding="utf-8")


def _missing(one: Kept) -> None:
    *_, last = one.data
    one.path.write_text(json.dumps({key: value for key, value in one.data.items() if key != last}), encoding="utf-8")


def _anothers(one: Kept) -> None:
    text = json.dumps(one.data)
    for this, another in ((OTHER_UUID, UUID), (OTHER_BUILD, BUILD), (OTHER_CHANGE, CHANGE)):
        text = text.replace(this, another)
    one.path.write_text(text, encoding="utf-8")


def _torn(one: Kept) -> None:
    text = one.path.read_bytes()
    one.path.write_bytes(text[: len(text) // 2])


def _large(one: Kept) -> None:
    with one.path.open("a", encoding="utf-8") as file:
        file.write(" " * (8 * 2**20))


def _replaced(make: Callable[[Path], object]) -> Callable[[Kept], object]:
    def replace(one: Kept) -> None:
        one.path.rename(one.path.with_suffix(".elsewhere"))
        make(one.path)

    return replace


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's name has 108 letters at most
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


BROKEN: Mapping[str, Callable[[Kept], object]] = {
    "empty": _text(""),
    "torn": _torn,
    "a power cut's zeros": lambda one: one.path.write_bytes(bytes(4096)),
    "not JSON": _text("hello"),
    "not text": lambda one: one.path.write_bytes(b"\xff\xfe\x00{"),
    "a list": _text('["a"]'),
    "nothing in a list": _text("[]"),
    "null": _text("null"),
    "nested deeply": _text("[" * 100_000),
    "a number of many digits": _text("9" * 100_000),
    "a key twice": lambda one: one.path.write_text(f'{{"version": 2, {json.dumps(one.data)[1:]}', encoding="utf-8"),
    "a key too many": _changed(more=1),
    "a key too few": _missing,
    "a newer version": _changed(version=3),
    "a version in words": _changed(version="2"),
    "version 0": _changed(version=0),
    "another's": _anothers,
    "large": _large,
    "a link": _replaced(lambda path: path.symlink_to(path.with_suffix(".elsewhere"))),
    "a link to nothing": _replaced(lambda path: path.symlink_to("/nowhere/at/all")),
    "a second name": lambda one: one.path.with_suffix(".second").hardlink_to(one.path),
    "a folder": _replaced(Path.mkdir),
    "a pipe": _replaced(os.mkfifo),
    "a socket": _replaced(_socket),
    "writable by others": lambda one: one.path.chmod(0o666),
}
