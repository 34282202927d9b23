"""Guards before a disk is overwritten: it must be the confirmed disk, and free.

A disk is checked in this order, and each step relies on the one before:

1. The by-id name leads to a device, which is opened. From here on the device is pinned: while a descriptor is
   open the kernel gives its number, and so its node in /dev, to no other disk. The name isn't looked at again.
2. Identity: the name, model, serial, WWN and size are the ones that the plan says (``verify_identity``).
3. Use: mounts in every namespace, swap, holders, loop devices (``device_users``), partitions, fstab and crypttab,
   read-only (``verify_free``).
4. The kernel's own word: it is opened exclusively (O_EXCL), which mounts, swap, md, LVM, bcache and ZFS also do.
5. While it is held so: no signature that ``wipefs`` knows, and no bytes that nothing knows (``unknown``), but those
   whose removal was confirmed by name (``verify_confirmed``, ``verify_empty``).

6. Nobody has it open for writing: a virtual machine claims nothing (``verify_no_writer``).

``holding.hold_pinned`` takes every disk that is going to be overwritten through steps 3 to 6.

mdadm opens its members exclusively too, so the exclusive descriptor is closed (``release``) just before it starts; the
pin stays. In that moment another root process could take the disk: then mdadm is refused, or, if that process also
wrote a signature and closed it again within these milliseconds, mdadm would not know. Nothing without root's rights can
use this window. Opening is read-only: closing a writer would make udev probe anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused
from raidwright.core.md.foreign_make import make_name
from raidwright.core.messages import say
from raidwright.core.model.plan import Member
from raidwright.core.protocol.device_users import DeviceUser, UserKind
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.protocol.signature_names import array_of, half_of

from .device_users import DeviceUsers, words_of
from .foreign_make import make_of
from .host import Host
from .open_devices import lasting_writers
from .seen import is_model, models_of, serials_of
from .signatures import Signature, found_on
from .tables import named_in

# udev itself holds the lock while it probes, which takes long where a sector can't be read.
_LOCK_PATIENCE_S = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8)
_FLAGS = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


@dataclass(frozen=True, slots=True)
class Pinned:
    """A device held open: ``number`` and ``node`` can't be reused until ``fd`` is closed."""

    number: int
    node: str
    fd: int


@contextlib.contextmanager
def pinned(host: Host, path: str, *, who: str) -> Iterator[Pinned]:
    """Open the block device at ``path`` (below /dev, a link or a node) and hold it; raises DiskRefused."""
    try:
        fd = os.open(host.root / path.lstrip("/"), os.O_RDONLY | _FLAGS)
    except OSError as error:
        raise _not_there(who, error) from None
    try:
        status = os.fstat(fd)
        if not stat.S_ISBLK(status.st_mode):
            raise DiskRefused("{disk} is not a disk.", code="disk-kind", disk=who)
        yield Pinned(status.st_rdev, host.node(status.st_rdev), fd)
    finally:
        os.close(fd)


def _not_there(who: str, error: OSError) -> DiskRefused:
    return DiskRefused(
        "{disk} can't be opened ({why}); plug it in and list the disks again.",
        code="disk-missing",
        disk=who,
        why=error.strerror,
    )


async def lock_out_udev(host: Host, disks: Collection[int], until: contextlib.ExitStack) -> None:
    """Lock each of the whole ``disks`` against udev until ``until`` closes; raises DiskRefused.

    While it is held udev neither probes the disks nor lets ``mdadm --incremental`` at them, which would start a
    half-made array again between its stop and the removal of its superblocks. (systemd, BLOCK_DEVICE_LOCKING)
    """
    for disk in sorted(disks):
        who = host.kernel_name(disk)
        device = until.enter_context(pinned(host, host.node(disk), who=who))
        for patience_s in (*_LOCK_PATIENCE_S, None):
            try:
                fcntl.flock(device.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if patience_s is None:
                    raise DiskRefused(
                        "Another program is changing {disk}; try again when it has ended.", code="disk-locked", disk=who
                    ) from None
                await asyncio.sleep(patience_s)


class Exclusive:
    """An exclusive claim on a pinned device; nothing else gets one until ``release`` or the end of ``with``."""

    def __init__(self, host: Host, device: Pinned, who: str, *, writable: bool = False) -> None:
        access = os.O_RDWR if writable else os.O_RDONLY
        try:
            # O_NOFOLLOW: the kernel's node is no link. Its number is compared nevertheless.
            flags = _FLAGS | access | os.O_EXCL | os.O_NOFOLLOW
            self._fd: int | None = os.open(host.root / device.node.lstrip("/"), flags)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise _not_there(who, error) from None
            raise DiskRefused(
                "{disk} is in use: something has it open for itself. Close what uses it, or choose another disk.",
                code="disk-busy",
                disk=who,
            ) from None
        if os.fstat(self._fd).st_rdev != device.number:
            self.release()
            raise DiskRefused(
                "{node} is no longer {disk}; list the disks again.", code="disk-changed", disk=who, node=device.node
            )

    def __enter__(self) -> Exclusive:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    @property
    def fd(self) -> int:
        """The descriptor, while the claim is held."""
        if self._fd is None:
            raise ValueError("the claim was given up")
        return self._fd

    def release(self) -> None:
        """Close the exclusive descriptor, so that md can take the device; the pin stays."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def person_name(member: Member) -> str:
    """Return the disk's name in sentences: model and serial as on its label, or its by-id name."""
    label = " ".join(part for part in (member.model, member.serial) if part)
    return f"{label} ({member.id})" if label else member.id


def verify_identity(host: Host, number: int, member: Member) -> None:
    """Raise DiskRefused unless the device is the disk that ``member`` identifies."""
    who = person_name(member)
    udev = host.udev(number)
    if f"disk/by-id/{member.id}" not in udev.links:
        raise _changed(who, say("name"), member.id, say("another"))
    if host.partition(number) != member.partition:
        if member.partition is None:
            sentence = say("{who} is a partition; choose it anew.", who=who)
        else:
            sentence = say("{who} is not that partition; choose it anew.", who=who)
        raise DiskRefused(sentence, code="disk-kind", disk=member.id)
    whole = host.whole(number)
    if not host.is_disk(whole):
        raise DiskRefused("{who} is not a disk of hardware.", code="disk-kind", disk=member.id, who=who)
    if member.disk is not None and f"disk/by-id/{member.disk}" not in host.udev(whole).links:
        raise _changed(who, say("disk"), member.disk, say("another"))
    serials = serials_of(host, whole)
    if (serials or member.serial) and member.serial not in serials:
        raise _changed(
            who, say("serial"), member.serial, say("{serials:or}", serials=sorted(serials)) if serials else ""
        )
    wwid = host.attribute(whole, "device/wwid")
    wwn = (member.disk or member.id).removeprefix("wwn-0x")
    if wwn != (member.disk or member.id) and wwid.startswith("naa.") and wwid != f"naa.{wwn}":
        raise _changed(who, "WWN", wwn, wwid)
    if host.size_bytes(number) != member.size_bytes:
        raise _changed(
            who,
            say("size"),
            say("{size_bytes} bytes", size_bytes=member.size_bytes),
            say("{size_bytes} bytes", size_bytes=host.size_bytes(number)),
        )
    if not is_model(host, whole, member.model):  # it is shown in prompts and kept in the journal
        raise _changed(who, say("model"), member.model, next(models_of(host, whole), ""))


def _changed(who: str, what: str, confirmed: str, found: str) -> DiskRefused:
    return DiskRefused(
        "{disk} is not the disk that was confirmed: its {what} was “{confirmed}” and is now “{found}”. "
        "List the disks again and look which one you mean.",
        code="disk-changed",
        disk=who,
        what=what,
        confirmed=confirmed,
        found=found or say("none"),
    )


def verify_free(host: Host, number: int, member: Member, *, may_have_partitions: bool = False) -> None:
    """Raise DiskRefused, with the reason, if the device or a partition of it is in use or reserved.

    Unused partitions are a reason as well, unless the removal of the table was confirmed. Of a partition its whole disk
    is asked about, too: what is stacked on that reaches into the partition.
    """
    users = DeviceUsers.read(host)
    for part in dict.fromkeys((number, *host.partitions(number), host.whole(number))):
        reason = reason_of_use(host, part, users)
        if reason:
            raise _in_use(member, reason)
    if host.partitions(number) and not may_have_partitions:
        raise DiskRefused(
            "{who} has partitions; confirm that they may go, or choose another disk.",
            code="disk-partitions",
            disk=member.id,
            who=person_name(member),
        )


def _in_use(member: Member, reason: str) -> DiskRefused:
    return DiskRefused(
        "{who} {reason}, or choose another disk.",
        code="disk-in-use",
        disk=member.id,
        who=person_name(member),
        reason=reason,
    )


def verify_not_listed(host: Host, number: int, found: Sequence[Signature], member: Member) -> None:
    """Raise DiskRefused when fstab or crypttab names a file system that was ``found`` on the device.

    udev knows one file system per device; libblkid may have found more.
    """
    if (file := named_in(host, number, found)) is not None:
        raise DiskRefused(
            "{who} holds what is in {file}; take it out of there, or choose another disk.",
            code="disk-in-use",
            disk=member.id,
            who=person_name(member),
            file=file,
        )


async def verify_no_writer(host: Host, disks: Iterable[tuple[Member, int]]) -> None:
    """Raise DiskRefused if another program has one of ``disks`` (with their numbers) open for writing, and keeps it.

    Their partitions, and the disk of a partition, count as well.
    """
    owners = {
        part: member for member, number in disks for part in (host.whole(number), number, *host.partitions(number))
    }
    if (written := await first_written(host, owners)) is not None:
        raise _in_use(owners[written.number], written.reason)


@dataclass(frozen=True, slots=True)
class WrittenDevice:
    """A device that another program has open for writing; ``reason`` continues a sentence that it begins."""

    number: int
    reason: str


async def first_written(host: Host, numbers: Collection[int]) -> WrittenDevice | None:
    """Return the first of the devices ``numbers`` that another program has open for writing, and keeps; else None."""
    for writer in await lasting_writers(host, numbers):
        user = DeviceUser(UserKind.PROCESS, writer.name, pid=writer.pid)
        return WrittenDevice(writer.number, words_of(user, host.kernel_name(writer.number)))
    return None


def reason_of_use(host: Host, number: int, users: DeviceUsers | None = None) -> str | None:
    """Return the device's use, and the remedy, as the rest of a sentence; None if unused.

    ``users`` are those of all devices, if they have been read.
    """
    name = host.kernel_name(number)
    if (point := host.mount_point(number)) is not None:
        return words_of(DeviceUser(UserKind.MOUNT, point), name)
    for user in (users or DeviceUsers.read(host)).of(number):
        return _held_by(host, host.holders(number), name) if user.kind == UserKind.HOLDER else words_of(user, name)
    if (file := named_in(host, number)) is not None:
        return say("is in {file} ({name}); take it out of there", file=file, name=name)
    if host.attribute(number, "ro") == "1":
        return say("is read-only ({name}); lift its write protection", name=name)
    return None


def _held_by(host: Host, holders: Sequence[int], name: str) -> str:
    names = ", ".join(map(host.kernel_name, holders))
    if makes := [make for holder in holders if (make := make_of(host, holder))]:
        return say(
            "is a member of {make} ({names}), which Raidwright only looks at; take it out of that set by the firmware "
            "or mdadm",
            make=make_name(makes[0]),
            names=names,
        )
    return say("is part of {names} ({name}); stop that", names=names, name=name)


def verify_confirmed(found: Sequence[Signature], confirmed: Collection[str], member: Member) -> None:
    """Raise DiskRefused unless a person released exactly what lies on the disk for erasure, by name.

    Released unknown bytes may be gone since: Raidwright's own measurements zero them. A stopped array that needs the
    disk is released by its name, ``array:NAME``, besides its members' signature.
    """
    names = sorted({signature.name for signature in found})
    if names == sorted(set(confirmed)) or names == sorted(set(confirmed) - {UNKNOWN}):
        return
    who = person_name(member)
    lacking = [name for name in names if name not in confirmed]
    if half := next(filter(None, map(half_of, lacking)), None):
        raise DiskRefused(
            "{disk} is a half of {array} that was written to on its own until {when}, apart from the disks that run "
            "now. Overwritten, what only it holds is lost. To look at it, stop the array and start it of this disk, "
            "read-only. Confirm the loss by its word, or choose another disk.",
            code=Code.SIGNATURE,
            disk=who,
            signatures=names,
            array=half[0],
            when=half[1],
        )
    if kept := [array for name in lacking if (array := array_of(name))]:
        raise DiskRefused(
            "{disk} belongs to a stopped array that can be started again, {arrays}. Overwriting the disk destroys its "
            "part of that array. Confirm it by the array's name, or choose another disk.",
            code=Code.SIGNATURE,
            disk=who,
            signatures=names,
            arrays=kept,
        )
    if confirmed:
        raise DiskRefused(
            "{who} holds {there}; what may be removed was {confirmed}. Look at it once more.",
            code="disk-signature-changed",
            disk=member.id,
            signatures=names,
            who=who,
            there=names or say("nothing"),
            confirmed=sorted(confirmed),
        )
    raise _holds_something(who, names, "Confirm that this may be removed, or choose another disk.")


async def verify_empty(device: Pinned, who: str) -> None:
    """Raise DiskRefused if the device, which is held, carries any signature."""
    found = sorted({signature.kind for signature in await found_on(device.node)})
    if found:
        raise _holds_something(who, found, "Wipe it first if nothing on it is wanted.")


def _holds_something(who: str, names: Sequence[str], way_out: str) -> DiskRefused:
    if list(names) == [UNKNOWN]:
        return DiskRefused(
            "{disk} holds bytes that nothing here recognises, such as an encrypted or a damaged disk has. {way_out}",
            code=Code.SIGNATURE,
            disk=who,
            signatures=names,
            way_out=way_out,
        )
    return DiskRefused(
        "{disk} holds something: {signatures}. {way_out}",
        code=Code.SIGNATURE,
        disk=who,
        signatures=names,
        way_out=way_out,
    )
