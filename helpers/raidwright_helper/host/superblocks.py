"""md's superblocks on disks, read directly; nothing is written, and mdadm isn't run.

A disk with a superblock may belong to a stopped but complete array. Overwriting the disk destroys that array, so it is
found here (``arrays_kept_on``) and must be released by its name (``core.protocol.signature_names``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from raidwright.core.errors import DiskRefused
from raidwright.core.md.assembly import assemblies
from raidwright.core.md.histories import History, beside_running
from raidwright.core.md.member_superblock import (
    BITMAP_HEAD_BYTES,
    SUPERBLOCK_BYTES,
    MemberSuperblock,
    parse_superblock,
    superblock_bytes_at,
    with_bitmap,
)
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Metadata
from raidwright.core.protocol.signature_names import array_word, half_word

from .extents import bytes_at
from .guards import pinned
from .host import Host
from .md import MEMBER_SIGNATURE
from .seen import seen_array
from .signatures import Signature

if TYPE_CHECKING:
    from .power import PowerStates  # its bus doesn't exist where mdadm's monitor runs us


def read_superblock(device: int, size_bytes: int) -> MemberSuperblock | None:
    """Return the superblock on the open ``device``; of several the latest created, like mdadm (``guess_super``)."""
    found = [one for metadata in Metadata if (one := _read(device, size_bytes, metadata))]
    return max(found, key=lambda one: one.created_s, default=None)


def _read(device: int, size_bytes: int, metadata: Metadata) -> MemberSuperblock | None:
    at = superblock_bytes_at(metadata, size_bytes)
    if at < 0 or (found := parse_superblock(metadata, _bytes(device, at, SUPERBLOCK_BYTES), size_bytes)) is None:
        return None
    if 0 < found.bitmap_byte < size_bytes:
        return with_bitmap(found, _bytes(device, found.bitmap_byte, BITMAP_HEAD_BYTES))
    return found


def _bytes(device: int, offset: int, count: int) -> bytes:
    try:
        return bytes_at(device, offset, count)
    except OSError:  # an unreadable superblock is none to md either
        return b""


async def arrays_kept_on(
    host: Host, number: int, found: Sequence[Signature], power: PowerStates | None = None
) -> tuple[Signature, ...]:
    """Return the stopped arrays that need the disk ``number``, of which ``found`` are the signatures.

    Only arrays that could be started with the present members: others lose nothing. Of a running array that the disk
    was a member of, what it holds is named if the array lacks it (``history_beside``). Other members are read for that,
    which wakes them; with ``power`` a member in standby is refused instead (DiskRefused, ``Code.ASLEEP``).
    """
    parts = {host.partition(part): part for part in host.partitions(number)}
    kept = []
    for one in found:
        device = parts.get(one.partition) if one.partition is not None else number
        if one.kind == MEMBER_SIGNATURE and device is not None:
            kept += [word for word in [await _kept_on(host, device, one.partition, power)] if word]
    return tuple(dict.fromkeys(kept))


async def _kept_on(host: Host, device: int, partition: int | None, power: PowerStates | None) -> Signature | None:
    own = superblock_of(host, device)
    if own is None:
        return None
    start = host.start_bytes(device) if partition is not None else 0
    at = superblock_bytes_at(Metadata(own.metadata), host.size_bytes(device))
    if (running := _running(host, own.uuid)) is not None:
        history = None if device in host.slaves(running) else await history_beside(host, running, own, power)
        if history is None or not history.has_own_data:  # the running array has done without it
            return None
        word = half_word(own.name, own.uuid, own.updated_s)
        return Signature(word, start + at, SUPERBLOCK_BYTES, partition=partition)
    name = str(device)
    members = {name: own}
    for other in carriers_of(host, own.uuid):
        if other == device:
            continue
        if power is not None:
            await power.verify_awake(host, host.whole(other), host.kernel_name(other))
        with contextlib.suppress(DiskRefused):  # it was unplugged a moment ago
            if (superblock := superblock_of(host, other)) is not None and superblock.uuid == own.uuid:
                members[str(other)] = superblock
    [array] = assemblies(members)
    if not (array.is_sound and array.holds(name)):
        return None
    return Signature(array_word(array.name, array.uuid), start + at, SUPERBLOCK_BYTES, partition=partition)


async def history_beside(
    host: Host, array: int, former: MemberSuperblock, power: PowerStates | None = None
) -> History | None:
    """Return the history of a disk with the superblock ``former`` beside the running ``array``; None if unknown.

    Of the array one working member is read: all of them say the same. With ``power`` none is woken for that; raises
    DiskRefused (``Code.ASLEEP``) if all of them sleep.
    """
    working = dict(_working(host, array))
    for last, number in enumerate(working, start=1):
        try:
            if power is not None:
                await power.verify_awake(host, host.whole(number), host.kernel_name(number))
            member = superblock_of(host, number)
        except DiskRefused:
            if last == len(working):
                raise
            continue
        if member is not None and member.uuid == former.uuid:
            return beside_running(former, member, working.values())
    return None


def _working(host: Host, array: int) -> Iterator[tuple[int, int]]:
    """Yield the array's working members with their slots (kernel ``md.rst``, md/dev-XXX/state)."""
    for number in host.slaves(array):
        folder = f"md/dev-{host.kernel_name(number)}"
        flags = host.attribute(array, f"{folder}/state").split(",")
        slot = host.attribute(array, f"{folder}/slot")
        if slot.isdecimal() and "in_sync" in flags and "faulty" not in flags:
            yield number, int(slot)


def _running(host: Host, uuid: str) -> int | None:
    """Return the running array of this UUID; an inactive one, which udev left for lack of members, doesn't run."""
    array = seen_array(host, uuid)
    return array.number if array is not None and not is_half_assembled(host, array.number) else None


def is_half_assembled(host: Host, array: int) -> bool:
    """Return whether md has members of the array, but hasn't started it (kernel ``md.rst``, array_state)."""
    return host.attribute(array, "md/array_state") in ("inactive", "clear")


def half_assembled(host: Host, uuid: str) -> int | None:
    """Return the array's inactive device, which has some of its members, left by udev or a failed start.

    Neither the kernel nor udev has the UUID of such a device, so it is identified by its members.
    """
    holders = (holder for number in carriers_of(host, uuid) for holder in host.holders(number))
    return next((holder for holder in holders if is_half_assembled(host, holder)), None)


def superblock_of(host: Host, number: int) -> MemberSuperblock | None:
    """Return the superblock on the block device, None if there is none; raises DiskRefused if it is gone."""
    with pinned(host, host.node(number), who=host.kernel_name(number)) as device:
        return read_superblock(device.fd, host.size_bytes(number)) if device.number == number else None


def formers_of(host: Host, uuid: str, array: int) -> Iterator[int]:
    """Yield every block device that according to udev may be of the array, and that neither it nor another one has.

    A failed member that it still has is one of them: md doesn't write to its superblock any more.
    """
    for number in carriers_of(host, uuid):
        holders, state = host.holders(number), f"md/dev-{host.kernel_name(number)}/state"
        has_failed = holders == (array,) and "faulty" in host.attribute(array, state).split(",")
        if not holders or has_failed:
            yield number


def carriers_of(host: Host, uuid: str) -> Iterator[int]:
    """Yield every block device whose superblock, according to udev, may be of the array."""
    for number in host.udev_blocks():
        properties = host.udev(number).properties
        # libblkid writes the UUID of 0.90 in another byte order
        is_old = properties.get("ID_FS_VERSION", "").startswith("0.")
        may_be = is_old or array_uuid(properties.get("ID_FS_UUID", "")) == uuid
        if properties.get("ID_FS_TYPE") == MEMBER_SIGNATURE and may_be and host.size_bytes(number):
            yield number
