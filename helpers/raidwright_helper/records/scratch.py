"""Scratch arrays: made to be measured, and gone when whoever asked for them is.

Each has a record (``store``) below /run/raidwright, which only root can write, so that a helper that was killed finds
at its next start what it has to take away. Only what is noted there can be stopped.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.json_fields import Fields
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import read_member

from raidwright_helper.host import md
from raidwright_helper.host.guards import lock_out_udev, person_name, pinned, verify_identity
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.service.claims import Claims
from raidwright_helper.service.journal import Record

from .store import Store

_LOG = logging.getLogger("raidwright-helper")
_OWNER = re.compile(r":[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+")  # of the bus's making


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch array: its UUID, the bus name that it belongs to, and its disks."""

    uuid: str
    owner: str
    members: tuple[Member, ...]


class ScratchArrays:
    """The scratch arrays that this helper, or one before it, has made since the machine started."""

    def __init__(self, host: Host, claims: Claims, folder: Path) -> None:
        self._host = host
        self._claims = claims
        self._store = Store(folder, "note of a scratch array", name=_name, read=_read, loss=self._loss)

    def note(self, uuid: str, owner: str, disks: Sequence[HeldDisk]) -> None:
        """Remember a scratch array that has just been made; raises JobFailed."""
        members = tuple(replace(disk.member, baseline=None) for disk in disks)
        self._store.write(Scratch(md.checked_uuid(uuid), owner, members))

    def find(self, uuid: str) -> Scratch:
        """The scratch array ``uuid``; raises InputError for any other, real arrays above all."""
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
        """Every scratch array that is noted."""
        return self._store.all()

    def _loss(self, name: str) -> str:
        """Which array it was is told by the name alone: md's superblocks don't say that an array is for scratch."""
        try:
            uuid = md.checked_uuid(name.removesuffix(".json").replace("-", ":"))
        except InputError:
            return "Whichever scratch array it was of, nobody takes it away by itself."
        number = self._host.number_of(md.uuid_path(uuid))
        where = "is not running now" if number is None else f"runs as {self._host.kernel_name(number)}"
        return f"Its array {uuid} {where}; nobody takes it away by itself any more, so take it apart as any other."

    async def remove(self, scratch: Scratch, record: Record, until: contextlib.ExitStack) -> None:
        """Stop it and free its disks. Raises DiskRefused, Busy, or JobFailed when it is in use."""
        devices = [
            until.enter_context(pinned(self._host, f"/dev/disk/by-id/{member.id}", who=person_name(member)))
            for member in scratch.members
        ]
        for member, device in zip(scratch.members, devices, strict=True):
            verify_identity(self._host, device.number, member)
        whole_disks = {self._host.whole(device.number) for device in devices}
        until.enter_context(self._claims.hold(whole_disks))
        await lock_out_udev(self._host, whole_disks, until)
        numbers = [device.number for device in devices]
        arrays = md.arrays_on(self._host, numbers)
        if arrays and (await md.read_array(self._host, arrays[0])).uuid != scratch.uuid:
            raise InputError("Its disks are in another array now; nothing was stopped.", code="not-scratch")
        await md.dismantle(self._host, numbers, record.commands)
        self._store.remove(_name(scratch))

    async def remove_of(self, owner: str) -> bool:
        """Take away every scratch array of ``owner``, who has left; whether all are gone. The journal says why not."""
        are_gone = True
        for scratch in list(self.all()):
            if scratch.owner != owner:
                continue
            record = Record("StopScratch", 0, [person_name(member) for member in scratch.members])
            try:
                with contextlib.ExitStack() as until:
                    await self.remove(scratch, record, until)
                record.write("owner-vanished")
            except RaidwrightError as error:
                are_gone = False
                record.write(error.code)
                _LOG.warning("the scratch array %s stays: %s", scratch.uuid, error)
        return are_gone


def _name(scratch: Scratch) -> str:
    return _name_of(scratch.uuid)


def _name_of(uuid: str) -> str:
    return f"{uuid.replace(':', '-')}.json"


def _read(data: object, _version: int) -> Scratch:
    fields = Fields(data, "the note")
    uuid, owner = md.checked_uuid(fields.require("uuid", str)), fields.require("owner", str)
    if not _OWNER.fullmatch(owner):  # the bus would take a question about it for a fault
        raise InputError("“owner” is nobody on the bus", code="record-owner")
    scratch = Scratch(uuid, owner, tuple(map(read_member, fields.require("members", list))))
    fields.finish()
    return scratch
