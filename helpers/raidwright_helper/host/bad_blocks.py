"""md's lists of bad blocks: an array that takes no new disk because of one, and the sectors on a stopped member's.

Sources: mdadm ``Manage.c`` ``Manage_add`` (the superblock of the first working member by number is the newcomer's
model), ``md_u.h`` (GET_DISK_INFO, ``mdu_disk_info_t``); ``core.md.known`` for the versions.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator

from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.md.bad_blocks import Range, bad_ranges
from raidwright.core.md.known import BAD_BLOCKS_REFUSE_NEWCOMERS, kernel_of
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.messages import say
from raidwright.core.protocol.facts import CameBack

from . import md, members
from .arrays import PinnedArray
from .extents import bytes_at
from .host import Host
from .host_facts import kernel_release
from .members import HeldMember, MemberDevice, bad_sectors, places, survives_without
from .superblocks import superblock_of

_GET_DISK_INFO = 0x80140912  # _IOR(MD_MAJOR, 0x12, mdu_disk_info_t)
_DISK_INFO = struct.Struct("@5i")  # number, major, minor, raid_disk, state
_IN_SYNC = 1 << 2  # MD_DISK_SYNC
_MAX_NUMBERS = 1920  # mdadm's super1.c, MAX_DEVS
_WITHOUT = say(
    "Or let {who} leave the array first, which has what it needs on the others: mark it as failed, remove it, and add "
    "it again after the new disk."
)


async def verify_takes_newcomer(host: Host, array: PinnedArray) -> None:
    """Raise DiskRefused if mdadm's new superblock would have a mark that this kernel refuses; nothing is changed."""
    model = _model(host, array)
    superblock = superblock_of(host, model.number) if model else None
    if model is None or superblock is None or not superblock.bad_blocks_byte:
        return
    release, mdadm = kernel_release(host), await md.mdadm_version()
    if not BAD_BLOCKS_REFUSE_NEWCOMERS.holds(kernel_of(release), mdadm):
        return
    number, name = array.array.number, host.kernel_name(model.number)
    count = bad_sectors(host, number, name)
    total = sum(bad_sectors(host, number, host.kernel_name(one.number)) for one in places(host, number))
    without = say(_WITHOUT, who=name) if survives_without(host, number, {model.number}) else ""
    raise DiskRefused(
        "No disk can join {array} as it is: md's list of bad blocks has {count} sectors of {who}, mdadm {mdadm} gives "
        "the new disk that list's mark without the list, and Linux {release} refuses such a disk. Nothing was done. "
        "mdadm {least} and later do it right. {without} Or stop {array} and start it with its lists forgotten: "
        "raidwright array start {name} --forget-bad-blocks {total}.",
        code="array-bad-blocks",
        array=array.label,
        count=count,
        who=name,
        mdadm=str(mdadm),
        release=release,
        least=str(BAD_BLOCKS_REFUSE_NEWCOMERS.mended_mdadm),
        without=without,
        name=array.array.name or array.array.uuid,
        total=total,
    )


async def re_add(host: Host, held: HeldMember, log: list[str]) -> CameBack:
    """As ``members.re_add``; raises DiskRefused if the member can't come back as a new one because of such a list."""
    try:
        return await members.re_add(host, held, log)
    except JobFailed:
        await verify_takes_newcomer(host, held.array)
        raise


def _model(host: Host, array: PinnedArray) -> MemberDevice | None:
    """Return the member whose superblock mdadm copies for a newcomer: of the working ones the first by number."""
    working = {one.number: one for one in places(host, array.array.number) if one.works}
    numbered = (working[device] for device in _in_sync(array.device.fd) if device in working)
    return next(numbered, None) or min(working.values(), key=lambda one: one.slot or 0, default=None)


def _in_sync(fd: int) -> Iterator[int]:
    """Yield the device numbers of the working members, by md's own number of each."""
    for number in range(_MAX_NUMBERS):
        try:
            answer = fcntl.ioctl(fd, _GET_DISK_INFO, _DISK_INFO.pack(number, 0, 0, 0, 0))
        except OSError:
            return
        _, major, minor, _, state = _DISK_INFO.unpack(answer)
        if state & _IN_SYNC:
            yield os.makedev(major, minor)


def ranges_on(device: int, superblock: MemberSuperblock) -> tuple[Range, ...]:
    """Return the sectors in the list of bad blocks of the open member."""
    if not superblock.bad_blocks_byte:
        return ()
    at, size = superblock.bad_blocks_byte, superblock.bad_blocks_bytes
    return bad_ranges(bytes_at(device, at, size), superblock.bad_blocks_shift)
