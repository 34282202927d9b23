"""Existing arrays, named by UUID and by name, both of which must match.

The UUID finds the array and the name is what a person typed or read: if they disagree, the person means another array
than the one that would be changed.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import inner_name
from raidwright.core.md.member_superblock import is_misread
from raidwright.core.messages import say

from raidwright_helper.jobs.claims import Claims

from . import md
from .array_users import claim_array, verify_unused_array
from .extents import forget_all_cached
from .foreign_make import verify_own_make
from .guards import Exclusive, Pinned, pinned, verify_empty
from .host import Host
from .layers import LUKS, LVM, layer_to_mount, layers_on
from .lvm import joined_over, volume_over
from .running_state import reshape_waits
from .seen import array_label, seen_array
from .signatures import found_on


@dataclass(frozen=True, slots=True)
class PinnedArray:
    """A running array, held open."""

    array: md.RunningArray
    device: Pinned

    @property
    def label(self) -> str:
        """Label in prompts, sentences and the journal."""
        return array_label(self.array.name, self.array.uuid)


async def pin_running(host: Host, uuid: str, until: contextlib.ExitStack, *, is_own_make: bool = True) -> PinnedArray:
    """Return the running array of ``uuid``, open until ``until`` closes; nothing is claimed.

    Raises InputError, DiskRefused if it doesn't run or, where it must be of ``is_own_make``, isn't native md.
    """
    uuid = md.checked_uuid(uuid)
    device = until.enter_context(pinned(host, _path_of(host, uuid), who=say("The array {uuid}", uuid=uuid)))
    if is_own_make:
        verify_own_make(host, device.number)
    array = await md.read_array(host, device.number)
    if array.uuid != uuid:
        raise DiskRefused(
            "The array with this UUID isn't the one that udev says it is; try again.", code="disk-changed"
        )
    return PinnedArray(array, device)


def _path_of(host: Host, uuid: str) -> str:
    """Return udev's link to the array, or its own node, by the kernel's UUID: of a failed array udev forgets it."""
    link = md.uuid_path(uuid)
    if host.number_of(link) is None and (seen := seen_array(host, uuid)) is not None:
        return host.node(seen.number)
    return link


async def find_array(host: Host, uuid: str, name: str, until: contextlib.ExitStack) -> PinnedArray:
    """Return the running array of ``uuid`` and ``name``, open until ``until`` closes; nothing is claimed.

    Raises InputError if the two don't match, DiskRefused if the array doesn't run or isn't native md.
    """
    found = await pin_running(host, uuid, until)
    verify_name(found.array.name, name)
    return found


def number_meant(host: Host, uuid: str, name: str) -> int:
    """Return the device that ``find_filled`` would, without opening it; raises InputError, DiskRefused."""
    path = md.uuid_path(md.checked_uuid(uuid))
    if (number := host.number_of(path)) is None:
        with pinned(host, path, who=say("The array {uuid}", uuid=uuid)) as device:  # raises: it isn't there
            return device.number
    volume = volume_over(host, name, number)
    return number if volume is None else volume


async def find_filled(host: Host, uuid: str, name: str, until: contextlib.ExitStack) -> PinnedArray:
    """Return ``find_array``'s array, or the joined volume ``name`` of which the array of ``uuid`` is the lowest.

    The volume has that array's UUID, and no metadata. Raises as ``find_array``.
    """
    number = host.number_of(_path_of(host, md.checked_uuid(uuid)))
    volume = None if number is None else volume_over(host, name, number)
    if number is None or volume is None:
        return await find_array(host, uuid, name, until)
    lowest = await md.read_array(host, number)
    if lowest.uuid != uuid or lowest.name != inner_name(name, 0):
        raise InputError(
            "The array with this UUID isn't the first of the volume “{name}”; look which one you mean.",
            code="name-mismatch",
            name=printable(name),
        )
    device = until.enter_context(pinned(host, host.node(volume), who=say("The volume “{name}”", name=name)))
    sectors = host.size_bytes(volume) // 512
    return PinnedArray(md.RunningArray(volume, device.node, uuid, sectors, 0, name), device)


async def find_mountable(host: Host, uuid: str, name: str, until: contextlib.ExitStack) -> PinnedArray:
    """Return ``find_filled``'s array, or the one volume, partition or unlocked device with a file system on it.

    That has the array's name and UUID, and no metadata. Raises as ``find_filled``, and DiskRefused if several may be
    meant, or none.
    """
    found = await find_filled(host, uuid, name, until)
    layers = layers_on(host, found.device.number)
    held = {one.kind for one in await found_on(found.device.node)} & {LUKS, LVM}
    if not layers and not held:
        return found
    meant = layer_to_mount(layers, "".join(held), found.label, found.device.node)
    who = say("{volume} on {array}", volume=meant.name, array=found.label)
    device = until.enter_context(pinned(host, host.node(meant.number), who=who))
    sectors = host.size_bytes(device.number) // 512
    return PinnedArray(md.RunningArray(device.number, device.node, found.array.uuid, sectors, 0, name), device)


async def find_single(host: Host, uuid: str, name: str, until: contextlib.ExitStack, way: str) -> PinnedArray:
    """Return ``find_array``'s array; DiskRefused with the ``way`` to go for a joined volume, and for an array of one.

    ``way`` may name the ``{volume}`` and its ``{arrays}``, by their nodes. Raises as ``find_array``.
    """
    found = await find_filled(host, uuid, name, until)
    volume = found.array.number
    if (host.block_dir(volume) / "md").exists():
        joined = joined_over(host, volume)
        if joined is None:
            return found
        volume, name = joined
    nodes = " ".join(host.node(number) for number in sorted(host.slaves(volume)))
    raise DiskRefused(
        "The array {array} belongs to the joined volume “{volume}”. {way} Nothing was done.",
        code="array-of-volume",
        array=found.label,
        volume=name,
        way=say(way, volume=name, arrays=nodes),
    )


READS_HANG = say(
    "{array} was cut off within a reshape. Until md goes on with that, a read of the place where it stopped never "
    "ends, and can crash Linux. Start it to be written to and let it go on (raidwright array go-on); its "
    "files can be read while md does."
)


def verify_read(level: str, feature_map: int, label: str) -> None:
    """Raise DiskRefused if md would read the array wrongly without writing to it."""
    if is_misread(level, feature_map):
        raise DiskRefused(
            "{array} was cut off within a reshape. Until md goes on with that, it shows a RAID 10 wrongly, so it can't "
            "be looked into read-only. Start it to be written to: md goes on, and shows what is there.",
            code="array-misread",
            array=label,
        )


def verify_reads_end(host: Host, number: int, label: str) -> None:
    """Raise DiskRefused while reads of the array or volume may hang: a reshape of an array's stripes waits."""
    if reshape_waits(host, number):
        raise DiskRefused(READS_HANG, code="array-reshape-waits", array=label)


def verify_name(is_called: str, name: str) -> None:
    """Raise InputError unless the array's name is ``name``."""
    if is_called != printable(name):
        raise InputError(
            "The array with this UUID is called “{called}”, not “{name}”; look which one you mean.",
            code="name-mismatch",
            called=is_called,
            name=printable(name),
        )


def verify_shape_stays(host: Host, found: PinnedArray) -> None:
    """Raise DiskRefused during a reshape: the superblocks then hold more than the members' places."""
    if host.attribute(found.array.number, "md/sync_action") == "reshape":
        raise DiskRefused(
            "The array {array} is changing its shape; wait until that has ended.",
            code="array-reshapes",
            array=found.label,
        )


def verify_starts_again(host: Host, found: PinnedArray) -> None:
    """Raise DiskRefused if md wouldn't start it again by itself: degraded, and its parity isn't computed to the end.

    mdadm(8) then wants ``--force`` (``util.c``, ``enough``; kernel ``raid5.c``, ``raid5_run``: dirty degraded). That is
    raid6 which loses a disk in a resync: where nothing is left to compute parity from, md ends the resync at once.
    """
    if would_stay_stopped(host, found.array.number):
        raise DiskRefused(
            "The array {array} lacks a disk while its parity is still being computed: stopped now, md would start it "
            "again only by force. Wait until the resync has ended. Nothing was done.",
            code="array-would-stay-stopped",
            array=found.label,
        )


def would_stay_stopped(host: Host, number: int) -> bool:
    """Return whether md, after a stop or a restart, would start the array or one below it only by force."""
    level = host.attribute(number, "md/level")
    has_parity = level in set(Level) and Level(level).parity_disks > 0
    is_degraded = host.attribute(number, "md/degraded") not in ("", "0")
    is_computing = host.attribute(number, "md/resync_start") not in ("", "none")
    is_logged = host.attribute(number, "md/consistency_policy") == "ppl"  # then it starts (Assemble.c, start_array)
    if has_parity and is_degraded and is_computing and not is_logged:
        return True
    return any(would_stay_stopped(host, below) for below in host.slaves(number))


async def pin_array(host: Host, claims: Claims, uuid: str, name: str, until: contextlib.ExitStack) -> PinnedArray:
    """Return ``find_array``'s array, with it and the disks below it claimed; also raises Busy."""
    found = await find_array(host, uuid, name, until)
    until.enter_context(claims.hold({found.device.number, *host.leaves(found.device.number)}))
    return found


async def pin_filled(host: Host, claims: Claims, uuid: str, name: str, until: contextlib.ExitStack) -> PinnedArray:
    """Return ``find_filled``'s array or volume, claimed as by ``pin_array``."""
    found = await find_filled(host, uuid, name, until)
    until.enter_context(claims.hold({found.device.number, *host.leaves(found.device.number)}))
    return found


async def pin_mountable(host: Host, claims: Claims, uuid: str, name: str, until: contextlib.ExitStack) -> PinnedArray:
    """Return ``find_mountable``'s device, claimed as by ``pin_array``."""
    found = await find_mountable(host, uuid, name, until)
    until.enter_context(claims.hold({found.device.number, *host.leaves(found.device.number)}))
    return found


async def hold_empty(host: Host, device: Pinned, until: contextlib.ExitStack, *, purpose: str) -> Exclusive:
    """Claim the array exclusively for writing until ``until`` closes; DiskRefused if it isn't empty and unused.

    ``purpose`` is the sentence that says why it must be empty.
    """
    verify_own_make(host, device.number)
    verify_reads_end(host, device.number, "The array")
    if (point := host.mount_point(device.number)) is not None:
        raise DiskRefused(
            "The array is mounted at {point}. {purpose}", code="array-mounted", point=point, purpose=purpose
        )
    if host.partitions(device.number) or host.holders(device.number):
        raise DiskRefused(
            "The array has partitions or something stacked on it. {purpose}", code="array-in-use", purpose=purpose
        )
    claim = await claim_array(host, device, "The array", until, writable=True)
    forget_all_cached(device.fd)
    await verify_unused_array(host, device.number, "The array")
    await verify_empty(device, "The array")
    return claim
