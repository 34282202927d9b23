"""Scratch arrays: created for measuring, and removed when their owner disconnects.

Each has a record (``store``) below /var/lib/raidwright, which only root can write. It is written before the array is
created, and removed once nothing of the array is left, so that after any interruption, a power cut included, the next
helper finds the arrays to remove. Only recorded arrays can be stopped.

Scratch arrays are for measuring only: a file system, a mount, a line of the system's files or a persistent setting is
refused (``verify_real``). One with other content stays until somebody requests its removal.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError, RaidwrightError
from raidwright.core.json_fields import Fields, printable
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import read_member
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.system.filesystem import MEASURED_LABEL

from raidwright_helper.host import md
from raidwright_helper.host.disk_settings import DiskSetting, put_back, read_settings
from raidwright_helper.host.guards import Exclusive, Pinned, lock_out_udev, person_name, pinned, verify_identity
from raidwright_helper.host.halves import halves_again, take_back_halves
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import found_on, wipe
from raidwright_helper.host.unknown import clear
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.journal import Record

from .store import Store

_LOG = logging.getLogger("raidwright-helper")
_OWNER = re.compile(r":[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")  # unique names, made by the bus


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch array: its UUID, the bus name of its owner, and its disks.

    ``inner`` are the UUIDs of its inner arrays. ``boot_id`` is the boot in which the bus name is valid: after a reboot
    the same name is somebody else's. ``is_halved``: it consists of its disks' halves. ``settings`` are its disks'
    settings before it was tuned. ``unknown`` are the disks, by id, that held unrecognised bytes: those beyond the array
    are still theirs, so nothing of them is zeroed.
    """

    uuid: str
    owner: str
    members: tuple[Member, ...]
    inner: tuple[str, ...] = ()
    boot_id: str = ""
    is_halved: bool = False
    settings: tuple[DiskSetting, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def uuids(self) -> frozenset[str]:
        """Its own UUID and those of its inner arrays."""
        return frozenset((self.uuid, *self.inner))


class ScratchArrays:
    """The scratch arrays that this helper, or an earlier one, has created or was about to create."""

    def __init__(self, host: Host, claims: Claims, folder: Path) -> None:
        self._host = host
        self._claims = claims
        self._why_left: dict[str, str] = {}
        self._owners: set[str] | None = None
        self._store = Store(folder, "note of a scratch array", name=_name, read=_read, loss=self._loss)

    def note(self, uuids: Sequence[str], owner: str, disks: Sequence[HeldDisk], *, is_halved: bool = False) -> None:
        """Record a scratch array before it is created, its inner arrays first; raises JobFailed."""
        members = tuple(replace(disk.member, baseline=None) for disk in disks)
        *inner, uuid = map(md.checked_uuid, uuids)
        unknown = tuple(disk.member.id for disk in disks if any(one.name == UNKNOWN for one in disk.found))
        boot_id = self._host.boot_id
        self._store.write(Scratch(uuid, owner, members, tuple(inner), boot_id, is_halved, unknown=unknown))
        self._known_owners.add(owner)

    def keep_settings(self, uuid: str, before: Sequence[DiskSetting]) -> None:
        """Record the disks' settings before the scratch array was first tuned; raises InputError, JobFailed."""
        scratch = self.find(uuid)
        known = {(one.disk, one.attribute) for one in scratch.settings}
        new = tuple(one for one in before if (one.disk, one.attribute) not in known)
        if new:
            self._store.write(replace(scratch, settings=(*scratch.settings, *new)))

    @property
    def _known_owners(self) -> set[str]:
        if self._owners is None:
            self._owners = {scratch.owner for scratch in self.all()}
        return self._owners

    def may_be_of(self, owner: str) -> bool:
        """Return whether ``owner`` has, or had, a scratch array; the records are read at the first call only."""
        return owner in self._known_owners

    def forget(self, uuid: str) -> None:
        """Remove the record, since nothing of the array is left; raises JobFailed."""
        self._store.remove(_name_of(uuid))

    def over(self, uuid: str) -> Scratch | None:
        """Return the scratch array that has this UUID, or an inner array with it; None for any other."""
        return next((scratch for scratch in self.all() if uuid in scratch.uuids), None)

    def verify_real(self, uuid: str) -> None:
        """Raise InputError for a scratch array, or an inner array of one: it must hold nothing lasting."""
        if self.over(uuid) is not None:
            raise InputError(
                "This is a scratch array: it is only there to be measured, and will be taken away with all that is "
                "on it. Build an array to keep (raidwright build), or remove this one (StopScratch, raidwright "
                "shootout --clean).",
                code="is-scratch",
            )

    def of(self, owner: str, uuid: str) -> Scratch | None:
        """Return ``owner``'s own scratch array that has this UUID, or an inner array with it; None for any other."""
        own = (one for one in self.all() if one.owner == owner and self.is_of_now(one))
        return next((one for one in own if uuid in one.uuids), None)

    def verify_covers(self, uuid: str) -> None:
        """Raise InputError for an array that is neither a scratch array nor an inner array of one."""
        if self.over(uuid) is None:
            self.find(uuid)

    def find(self, uuid: str) -> Scratch:
        """Return the scratch array ``uuid``; raises InputError for any other, real arrays above all."""
        name = _name_of(md.checked_uuid(uuid))
        if (scratch := self._store.get(name)) is not None:
            return scratch
        if self._store.has_damaged(name):
            raise InputError(
                "The note of this scratch array is damaged, so which disks it has can't be known for sure; take it "
                "apart as any other array.",
                code="record-damaged",
            )
        raise InputError(
            "This is not a scratch array of Raidwright's; only those can be stopped this way.", code="not-scratch"
        )

    def all(self) -> Iterator[Scratch]:
        """Return every recorded scratch array."""
        return self._store.all()

    def _loss(self, name: str) -> str:
        """Return the sentence on a lost record, by its name alone: md's superblocks don't mark scratch arrays."""
        try:
            uuid = md.checked_uuid(name.removesuffix(".json").replace("-", ":"))
        except InputError:
            return "Whichever scratch array it was of, nobody takes it away by itself."
        number = self._host.number_of(md.uuid_path(uuid))
        where = "is not running now" if number is None else f"runs as {self._host.kernel_name(number)}"
        return f"Its array {uuid} {where}; nobody takes it away by itself any more, so take it apart as any other."

    def why_left(self, scratch: Scratch) -> str:
        """Return the reason why it wasn't removed after its owner left; "" before any attempt."""
        return self._why_left.get(scratch.uuid, "")

    def is_of_now(self, scratch: Scratch) -> bool:
        """Return whether its owner's name is of the present boot."""
        return scratch.boot_id in ("", self._host.boot_id)

    async def remove(
        self, scratch: Scratch, record: Record, until: contextlib.ExitStack, *, by_itself: bool = False
    ) -> None:
        """Stop the array and free its disks. Raises DiskRefused, Busy, or JobFailed if it is in use.

        Only disks that carry its superblock are touched: since it was recorded others may have become somebody else's.
        ``by_itself``: nobody requested this, so other content is kept. Places that ``unknown`` reads are zeroed after
        measurements, and the disks' settings are restored.
        """
        devices = [
            until.enter_context(pinned(self._host, f"/dev/disk/by-id/{member.id}", who=person_name(member)))
            for member in scratch.members
        ]
        pairs = tuple(zip(scratch.members, devices, strict=True))
        for member, device in pairs:
            verify_identity(self._host, device.number, member)
        whole_disks = {self._host.whole(device.number) for device in devices}
        until.enter_context(self._claims.hold(whole_disks))
        await lock_out_udev(self._host, whole_disks, until)
        uuids = scratch.uuids
        parts = [(device.number, device.node) for device in devices]
        if scratch.is_halved:
            halves = [await halves_again(self._host, *disk) for disk in zip(devices, scratch.members, strict=True)]
            parts = [(number, self._host.node(number)) for found in halves for number in found.values()]
        numbers = [number for number, node in parts if await md.superblock_uuid(node) in uuids]
        for array in md.arrays_on(self._host, numbers):
            if (await md.read_array(self._host, array)).uuid not in uuids:
                raise InputError("Its disks are in another array now; nothing was stopped.", code="not-scratch")
            if by_itself:
                await self._verify_holds_nothing(scratch, array)
            await self._take_off_measured(array, record)
        await md.stop_arrays(self._host, numbers, record.commands)
        for member, device in pairs:
            is_of_it = not {device.number, *self._host.partitions(device.number)}.isdisjoint(numbers)
            if is_of_it and member.id not in scratch.unknown:
                # before the superblocks are removed, so that the next helper does it if this one is killed
                await asyncio.to_thread(_clear_places, self._host, device, member)
        await md.dismantle(self._host, numbers, record.commands)
        for member, device in pairs if scratch.is_halved else ():
            take_back_halves(self._host, device, member)
        if self.is_of_now(scratch):  # a reboot has reset them
            wholes = {member.id: self._host.whole(device.number) for member, device in pairs}
            await put_back(self._host, wholes, scratch.settings, record.commands)
        self._store.remove(_name(scratch))

    async def _verify_holds_nothing(self, scratch: Scratch, array: int) -> None:
        """Raise DiskRefused for any content but MeasureFileSystem's, and that of an inner array showing through."""
        if self._host.holders(array):
            return  # an inner array of this one; the outer one is examined
        for part in (array, *self._host.partitions(array)):
            found = await found_on(self._host.node(part))
            own = (one.label == MEASURED_LABEL or array_uuid(one.uuid) in scratch.uuids for one in found)
            if not all(own):
                raise DiskRefused(
                    "The scratch array {uuid} has come to hold something; have it stopped (raidwright shootout "
                    "--clean) if nothing of that is wanted.",
                    code="scratch-holds",
                    uuid=scratch.uuid,
                )

    async def _take_off_measured(self, array: int, record: Record) -> None:
        """Erase a file system left by an interrupted measurement: the next array in its place would seem to hold it."""
        if self._host.mount_point(array) is None:
            own = [one for one in await found_on(self._host.node(array)) if one.label == MEASURED_LABEL]
            await wipe(self._host, array, own, record.commands)

    async def remove_of(self, owner: str) -> bool:
        """Remove all scratch arrays of ``owner``, who has left; return whether all are gone. Reasons: see journal."""
        return await self.remove_all([one for one in self.all() if one.owner == owner and self.is_of_now(one)])

    async def remove_all(self, left: Sequence[Scratch]) -> bool:
        """Remove scratch arrays whose owners have left; return whether all are gone. The journal has the reasons."""
        are_gone = True
        for scratch in left:
            record = Record("StopScratch", 0, [person_name(member) for member in scratch.members])
            try:
                with contextlib.ExitStack() as until:
                    await self.remove(scratch, record, until, by_itself=True)
                record.write("owner-vanished")
            except RaidwrightError as error:
                are_gone = False
                self._why_left[scratch.uuid] = error.sentence
                record.write(error.code)
                _LOG.warning("the scratch array %s stays: %s", scratch.uuid, error)
        return are_gone


def _clear_places(host: Host, device: Pinned, member: Member) -> None:
    """Zero the measured places; if the disk fails they stay, and are reported as unknown from then on."""
    who = person_name(member)
    try:
        with Exclusive(host, device, who, writable=True) as claim:
            clear(claim.fd, host.size_bytes(device.number))
    except (OSError, RaidwrightError) as error:
        _LOG.warning("what was measured on %s could not be cleared: %s", who, error)


def _name(scratch: Scratch) -> str:
    return _name_of(scratch.uuid)


def _name_of(uuid: str) -> str:
    return f"{uuid.replace(':', '-')}.json"


def _read(data: object, _version: int) -> Scratch:
    fields = Fields(data, "the note")
    uuid, owner = md.checked_uuid(fields.require("uuid", str)), fields.require("owner", str)
    if not _OWNER.fullmatch(owner):  # the bus answers an invalid name with an error
        raise InputError("“owner” is nobody on the bus", code="record-owner")
    inner = fields.rest("inner", _read_uuids) or ()
    boot_id = printable(fields.take("boot_id", str) or "")  # without one, it is from before boot ids were recorded
    is_halved = fields.take("is_halved", bool) or False
    settings = fields.rest("settings", read_settings) or ()
    members = tuple(map(read_member, fields.require("members", list)))
    unknown = fields.rest("unknown", _read_texts) or ()
    scratch = Scratch(uuid, owner, members, inner, boot_id, is_halved, settings, unknown)
    fields.finish()
    return scratch


def _read_uuids(value: object) -> tuple[str, ...]:
    return tuple(map(md.checked_uuid, _read_texts(value)))


def _read_texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise InputError("“inner” and “unknown” are lists of texts", code="record-uuids")
    return tuple(value)
