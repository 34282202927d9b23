"""The present or last disk in each slot of an array: recorded while the disks are there, for the mail once one is gone.

One record (``store``) per array. It is written when the array is configured and at each event of mdadm's monitor; a
slot that has lost its disk keeps its last disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields, printable
from raidwright.core.sizes import decimal_size

from raidwright_helper.host import md
from raidwright_helper.host.host import Host
from raidwright_helper.host.members import places
from raidwright_helper.host.seen import models_of, serial_of, uuid_of

from .store import Store


@dataclass(frozen=True, slots=True)
class Occupant:
    """A disk; ``slot`` None for a spare. ``device`` is its kernel name then, which may be another disk's since."""

    slot: int | None
    device: str
    model: str
    serial: str
    size_bytes: int

    @property
    def label(self) -> str:
        """Label for people."""
        told = (self.model, self.serial and f"serial {self.serial}", decimal_size(self.size_bytes))
        return f"{', '.join(filter(None, told))} (was {self.device})"


def occupant(host: Host, slot: int | None, number: int) -> Occupant:
    """Return the disk with this device number, or of this partition, as the kernel and udev know it now."""
    disk = host.whole(number)
    model, serial = next(models_of(host, disk), ""), serial_of(host, disk)
    return Occupant(slot, host.node(number), printable(model), printable(serial), host.size_bytes(disk))


@dataclass(frozen=True, slots=True)
class _Noted:
    uuid: str
    occupants: tuple[Occupant, ...]


class Occupants:
    """The records; ``folder`` is created on first use."""

    def __init__(self, host: Host, folder: Path) -> None:
        self._host = host
        self._store = Store(folder, "note of members", name=lambda one: _name_of(one.uuid), read=_read, loss=_loss)

    def note(self, array: int) -> Mapping[int, Occupant]:
        """Record and return the last in-sync disk of each slot. Raises JobFailed, and InputError for no array."""
        uuid = md.checked_uuid(uuid_of(self._host, array))
        noted = self._store.get(_name_of(uuid))
        before = {one.slot: one for one in noted.occupants if one.slot is not None} if noted else {}
        working = [(place.slot, place.number) for place in places(self._host, array) if place.works]
        now = {slot: occupant(self._host, slot, number) for slot, number in working if slot is not None}
        slots = range(int(self._host.attribute(array, "md/raid_disks").partition(" ")[0] or 0))
        known = {slot: one for slot, one in sorted({**before, **now}.items()) if slot in slots}
        if known != before:
            self._store.write(_Noted(uuid, tuple(known.values())))
        return known


def _name_of(uuid: str) -> str:
    return f"{md.checked_uuid(uuid).replace(':', '-')}.json"


def _loss(_name: str) -> str:
    return "A mail about that array names no disk that is gone by then; its members are noted again at the next event."


def _read(data: object, _version: int) -> _Noted:
    fields = Fields(data, "the record")
    uuid = md.checked_uuid(fields.require("uuid", str))
    occupants = tuple(map(_read_occupant, fields.require("occupants", list)))
    fields.finish()
    if len({one.slot for one in occupants}) != len(occupants):
        raise InputError("a slot has two disks", code="record-slots")
    return _Noted(uuid, occupants)


def _read_occupant(data: object) -> Occupant:
    fields = Fields(data, "a member")
    one = Occupant(
        slot=fields.count("slot"),
        device=printable(fields.require("device", str)),
        model=printable(fields.require("model", str)),
        serial=printable(fields.require("serial", str)),
        size_bytes=fields.count("size_bytes"),
    )
    fields.finish()
    return one
