"""Remembered members of arrays, by slot: a disk that is gone can't be asked for its serial number.

Kept in ``$XDG_DATA_HOME/raidwright/arrays.json``, by the arrays' UUIDs, which are unique across machines. Several
programs may keep it at once, a window, a command, a watch: each adds what it saw to what is there, under a lock, and
reads what others have added.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from collections.abc import Callable, Container, Iterable
from dataclasses import replace
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.model.plan_json import dump_member, read_member

from .kept_json import write_json
from .values import Array, ArrayDevice, Lack, LastSeen, Snapshot

_MAX_ARRAYS = 64
_OLD_SECONDS = 600  # the most that a kept ``seen_s`` may lag behind while nothing changes
_LOG = logging.getLogger(__name__)
_Slots = dict[int, LastSeen]


def roll_path() -> Path:
    """Return the path of the roll, by the XDG Base Directory Specification."""
    data_home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(data_home) if Path(data_home).is_absolute() else Path.home() / ".local/share"
    return base / "raidwright" / "arrays.json"


class Roll:
    """The members of all arrays seen, kept at ``path`` if given. ``now`` gives Unix time."""

    def __init__(self, path: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._path = path
        self._now = now
        self._arrays: dict[str, _Slots] = {}
        self._read = (0, 0)  # inode and time of the file when it was read
        self._working: dict[str, frozenset[int]] = {}  # at the last call

    def call(self, snapshot: Snapshot) -> Snapshot:
        """Return ``snapshot`` with the remembered members of empty slots, and note the members present."""
        self._take_others()
        before = {uuid: dict(slots) for uuid, slots in self._arrays.items()}
        here = {disk.id for disk in snapshot.disks}
        arrays = tuple(_with_whoever_is_here(self._with_lacks(array), here) for array in snapshot.arrays)
        if self._path and self._arrays != before:
            self._keep(self._path)
        return replace(snapshot, arrays=arrays)

    def _take_others(self) -> None:
        """Add what another program has noted since; of a slot the member seen last counts."""
        if self._path is None or (state := _state(self._path)) == self._read:
            return
        self._read = state
        for uuid, slots in _load(self._path).items():
            own = self._arrays.setdefault(uuid, {})
            own |= {slot: one for slot, one in slots.items() if slot not in own or own[slot].seen_s < one.seen_s}

    def _keep(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                self._take_others()
                write_json(path, _as_json(self._arrays))
                self._read = _state(path)
        except OSError as error:
            _LOG.warning("who is in which array can't be remembered: %s", error)

    def _with_lacks(self, array: Array) -> Array:
        if not array.running:
            return self._with_gone(array)
        if not array.places:
            return array
        slots = self._arrays.setdefault(array.uuid, {})
        now = int(self._now())
        for place in array.places:
            if place.works and place.slot is not None and place.member is not None:
                slots[place.slot] = _noted(slots.get(place.slot), place, now)
        for slot in self._working.get(array.uuid, frozenset()) - array.working:  # failed since the last snapshot
            if slot in slots:
                slots[slot] = replace(slots[slot], seen_s=now)
        self._working[array.uuid] = array.working
        return replace(array, lacks=tuple(Lack(lack.slot, slots.get(lack.slot)) for lack in array.lacks))

    def _with_gone(self, array: Array) -> Array:
        """Give an array that doesn't run the remembered members whose superblock is no longer present as its lacks."""
        here = {member.id for member in array.members}
        known = self._arrays.get(array.uuid, {})
        return replace(
            array, lacks=tuple(Lack(slot, known[slot]) for slot in sorted(known) if known[slot].member.id not in here)
        )


def _with_whoever_is_here(array: Array, here: Container[str]) -> Array:
    """Mark lacks whose disk is plugged in, whatever it carries now."""
    return replace(array, lacks=tuple(_seen_here(lack, here) for lack in array.lacks))


def _seen_here(lack: Lack, here: Container[str]) -> Lack:
    return replace(lack, is_here=(lack.last.member.disk or lack.last.member.id) in here) if lack.last else lack


def _noted(last: LastSeen | None, place: ArrayDevice, now: int) -> LastSeen:
    assert place.member is not None  # noqa: S101 -- narrows the type; the caller looked
    member, link = replace(place.member, baseline=None), place.link or (last.link if last else "")
    path = place.path or (last.path if last else "")
    if last and (last.member, last.link, last.path) == (member, link, path) and now - last.seen_s < _OLD_SECONDS:
        return last
    return LastSeen(member, link, now, path)


def _state(path: Path) -> tuple[int, int]:
    """Return the file's inode, which is another after each write, and its time; zeros without one."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_ino, found.st_mtime_ns)


def _as_json(arrays: dict[str, _Slots]) -> dict[str, object]:
    latest = sorted(arrays.items(), key=lambda item: max((one.seen_s for one in item[1].values()), default=0))
    return {
        uuid: {
            str(slot): {"member": dump_member(one.member), "link": one.link, "seen_s": one.seen_s, "path": one.path}
            for slot, one in slots.items()
        }
        for uuid, slots in latest[-_MAX_ARRAYS:]
    }


def _load(path: Path) -> dict[str, _Slots]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {uuid: dict(_slots(slots.items())) for uuid, slots in data.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, InputError) as error:
        _LOG.warning("who was in which array is not remembered, since %s can't be read: %s", path, error)
        return {}


def _slots(items: Iterable[tuple[str, object]]) -> Iterable[tuple[int, LastSeen]]:
    for slot, told in items:
        fields = Fields(told, "A remembered member")
        member = fields.rest("member", read_member)
        if member is not None:
            link, path = (fields.take(key, str) or "" for key in ("link", "path"))
            yield int(slot), LastSeen(member, link, fields.require("seen_s", int), path)
