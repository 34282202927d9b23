"""Slices of disks in use: what they hold is saved before it is wiped, and forgotten once md has them.

Unpartitioned room shows remnants, and a free partition can hold what a person gave up. The record is like that of a
disk that joins an array; an act that is cut off leaves it, and its undo puts the bytes back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import replace

from raidwright.core.errors import RaidwrightError
from raidwright.core.lvm.bands import slice_of
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import BuildStep

from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import models_of, serial_of
from raidwright_helper.records.builds import Builds

from .build import to_save

_BY_ID = "disk/by-id/"


async def save_slice(
    host: Host, builds: Builds, volume: PinnedArray, part: HeldDisk, uid: int, until: contextlib.ExitStack
) -> None:
    """Save both ends and the signatures of a slice that is about to be wiped; raises JobFailed.

    One that an act before has saved was wiped by it, so that record is kept. It counts as running until ``until``.
    """
    number = part.device.number
    member = slice_of(identified(host, host.whole(number)), host.partition(number) or 0, host.size_bytes(number))
    for build in builds.all():
        if build.joined and build.has_way_back and [one.member.id for one in build.members] == [member.id]:
            break
    else:
        ends = to_save(host, replace(part, member=member))
        build = await builds.begin(volume.array.name, uid, [ends], synchronises=False)
        builds.note(build.id, BuildStep.JOIN, disk=member.id, uuid=volume.array.uuid)
    until.enter_context(builds.running(build.id))


def forget_saved(host: Host, builds: Builds, arrays: Collection[int]) -> None:
    """Drop the records of slices that ``arrays`` have now; one that can't be is dropped by a later act."""
    inside = {number for array in arrays for number in host.slaves(array)}
    for build in builds.all():
        if build.joined and not build.tables:
            numbers = {host.number_of(f"/dev/{_BY_ID}{one.member.id}") for one in build.members}
            if numbers <= inside:
                with contextlib.suppress(RaidwrightError):
                    builds.drop(build.id)


def identified(host: Host, disk: int) -> Member:
    """Return the disk as a plan names it, by its link, model and serial number."""
    names = sorted(link.removeprefix(_BY_ID) for link in host.udev(disk).links if link.startswith(_BY_ID))
    name = next((one for one in names if one.startswith("wwn-")), names[-1] if names else host.kernel_name(disk))
    return Member(name, host.size_bytes(disk), next(models_of(host, disk), ""), serial_of(host, disk))
