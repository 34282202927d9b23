"""Scratch arrays: made to be measured, and gone when whoever asked for them is.

Each is noted in a file below /run/raidwright, which only root can write, so that a helper that was killed finds
at its next start what it has to take away. Only what is noted there can be stopped.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.model.plan import Member

from raidwright_helper.host import md
from raidwright_helper.host.guards import lock_out_udev, person_name, pinned, verify_identity
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.service.claims import Claims
from raidwright_helper.service.journal import Record

_LOG = logging.getLogger("raidwright-helper")


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
        self._folder = folder

    def note(self, uuid: str, owner: str, disks: Sequence[HeldDisk]) -> None:
        """Remember a scratch array that has just been made."""
        members = [
            {name: getattr(disk.member, name) for name in Member.__slots__ if name != "baseline"} for disk in disks
        ]
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(self._path(uuid), flags, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123  (a descriptor)
            json.dump({"uuid": uuid, "owner": owner, "members": members}, file)

    def _path(self, uuid: str) -> Path:
        return self._folder / f"{md.checked_uuid(uuid).replace(':', '-')}.json"

    def find(self, uuid: str) -> Scratch:
        """The scratch array ``uuid``; raises InputError for any other, real arrays above all."""
        path = self._path(uuid)
        if not path.exists():
            raise InputError(
                "This is not a scratch array of Raidwright's; only those can be stopped this way.", code="not-scratch"
            )
        return _load(path)

    def all(self) -> Iterator[Scratch]:
        """Every scratch array that is noted."""
        for path in sorted(self._folder.glob("*.json")):
            yield _load(path)

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
        self._path(scratch.uuid).unlink(missing_ok=True)

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


def _load(path: Path) -> Scratch:
    data = json.loads(path.read_text(encoding="utf-8"))
    return Scratch(data["uuid"], data["owner"], tuple(Member(**member) for member in data["members"]))
