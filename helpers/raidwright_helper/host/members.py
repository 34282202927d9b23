"""The members of a running array: md's state of each, and the operations on a member.

Sources: kernel ``Documentation/admin-guide/md.rst`` (md/dev-XXX/state, slot, bad_blocks), ``md.c`` (``state_show``,
``slot_show``), ``badblocks.c`` (``badblocks_show``), ``raid10.c`` ``_enough`` through ``core.survival``; mdadm(8),
Manage mode.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.md.array_survival import array_survives
from raidwright.core.md.histories import History
from raidwright.core.md.layouts import Level, copies_layout
from raidwright.core.md.member_superblock import RESHAPES, MemberSuperblock
from raidwright.core.messages import say
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.protocol.facts import CameBack
from raidwright.core.protocol.signature_names import half_word

from raidwright_helper.jobs.claims import Claims

from . import md
from .arrays import PinnedArray, find_array, verify_shape_stays
from .guards import Exclusive, Pinned, person_name, verify_confirmed, verify_free, verify_no_writer
from .holding import pin_disks
from .host import Host
from .runner import run
from .signatures import found_on, found_within
from .superblocks import history_beside, is_half_assembled, read_superblock

_LIMIT_SECONDS = 60.0
_SETTLE_SECONDS = 10
_PARTED = say(
    "{who} was written to on its own until {when}, apart from the disks that {array} runs of now, so both hold what "
    "the other lacks. Taken back it would be mixed with them. To look at it, stop the array and start it of this disk, "
    "read-only. It comes back only as a new disk, and then what only it holds is lost."
)
_AHEAD = say(
    "{who} was written to until {when}, when the disks that {array} runs of now were missing: it is the newer half. "
    "Stop the array and start it of this disk, then take the others back. It comes back here only as a new disk, and "
    "then what only it holds is lost."
)
_UNSHIFTED = ("0.90", "1.0")  # metadata formats that leave the member's start to the array's content


@dataclass(frozen=True, slots=True)
class MemberDevice:
    """A device in an array; ``slot`` is None for a spare, a journal, and a failed one that lost its slot."""

    number: int
    slot: int | None
    flags: frozenset[str]

    @property
    def works(self) -> bool:
        """True if the slot's content is in sync on this device."""
        return "in_sync" in self.flags and "faulty" not in self.flags


@dataclass(frozen=True, slots=True)
class HeldMember:
    """An array and a disk that is, or was, a member, both held."""

    array: PinnedArray
    member: Member
    device: Pinned

    @property
    def who(self) -> str:
        """The disk's name for people."""
        return person_name(self.member)


async def hold_member(
    host: Host, claims: Claims, uuid: str, name: str, member: Member, until: contextlib.ExitStack
) -> HeldMember:
    """Return the array and the disk, both verified; raises InputError, DiskRefused, Busy.

    udev may finish first: a pending event of a just added member, handled after its removal, would make ``mdadm
    --incremental`` add it again.
    """
    array = await find_array(host, uuid, name, until)
    await settle()
    [device] = await pin_disks(host, claims, [member], until)
    number = array.array.number
    until.enter_context(claims.hold({number, *host.leaves(number)} - {host.whole(device.number)}))
    verify_shape_stays(host, array)
    return HeldMember(array, member, device)


def places(host: Host, array: int) -> Iterator[MemberDevice]:
    """Yield every device that md has in the array, including failed ones and spares."""
    for number in host.slaves(array):
        folder = f"md/dev-{host.kernel_name(number)}"
        slot = host.attribute(array, f"{folder}/slot")
        flags = frozenset(host.attribute(array, f"{folder}/state").split(","))
        yield MemberDevice(number, int(slot) if slot.isdecimal() else None, flags)


def missing(host: Host, array: int) -> int:
    """Return the number of the array's slots without a working member."""
    working = {place.slot for place in places(host, array) if place.works} - {None}
    slots = host.attribute(array, "md/raid_disks").partition(" ")[0]  # "4 (3)" while it grows
    return int(slots or 0) - len(working)


def bad_sectors(host: Host, array: int, member: str) -> int:
    """Return the number of the member's sectors in md's bad block lists: lines of a first sector and a count."""
    files = (f"md/dev-{member}/bad_blocks", f"md/dev-{member}/unacknowledged_bad_blocks")
    lines = (line.split() for file in files for line in host.attribute(array, file).split("\n"))
    return sum(int(words[1]) for words in lines if len(words) == 2 and words[1].isdecimal())


def _verify_readable_without(host: Host, held: HeldMember) -> None:
    """Raise DiskRefused if other members' bad blocks may be readable from this member alone."""
    number = held.array.array.number
    bad = [one.number for one in places(host, number) if bad_sectors(host, number, host.kernel_name(one.number))]
    others = [one for one in bad if one != held.device.number]
    if others and not survives_without(host, number, {held.device.number, *others}):
        raise DiskRefused(
            "Some sectors of {others:and} can't be read (md's list of bad blocks), and without {who} what was on them "
            "would be lost. Replace {who} instead: then its data are copied before it leaves the array.",
            code="disk-bad-blocks",
            disk=held.member.id,
            others=[host.kernel_name(one) for one in others],
            who=held.who,
        )


async def verify_may_fail(host: Host, held: HeldMember) -> None:
    """Raise DiskRefused if the array would lose data without the member, InputError if it has failed already."""
    place = place_of(host, held)
    verify_not_failed(host, held.array)
    if "faulty" in place.flags:
        raise InputError("{who} has failed already; remove it next.", code="member-failed", who=held.who)
    if "journal" in place.flags:
        raise DiskRefused(
            "{who} is the journal of {array}; without it the array could only be read.",
            code="disk-journal",
            who=held.who,
            array=held.array.label,
        )
    if place.works and not survives_without(host, held.array.array.number, {held.device.number}):
        raise DiskRefused(
            "Without {who} the array {array} would lose data: of its "
            "{slots} places {missing} are empty already, and this one is needed. "
            "Bring back what is missing first.",
            code="disk-needed",
            disk=held.member.id,
            who=held.who,
            array=held.array.label,
            slots=host.attribute(held.array.array.number, "md/raid_disks"),
            missing=missing(host, held.array.array.number),
        )
    if place.works:
        _verify_readable_without(host, held)


async def verify_may_leave(host: Host, held: HeldMember) -> None:
    """Raise InputError while the array still uses the member, DiskRefused if the array has failed."""
    place = place_of(host, held)
    verify_not_failed(host, held.array)
    if "faulty" not in place.flags and (place.works or place.slot is not None):
        raise InputError(
            "{who} still works in {array}; mark it as failed first.",
            code="member-active",
            who=held.who,
            array=held.array.label,
        )


async def verify_may_return(host: Host, held: HeldMember) -> None:
    """Raise unless the disk was a member of this very array, is free, and carries nothing else.

    One that was written to without the array doesn't return: what it holds would be mixed in, or lost.
    """
    number = held.array.array.number
    verify_not_failed(host, held.array)
    if held.device.number in host.slaves(number):
        raise InputError(
            "{who} is in {array}; a failed one is removed first.",
            code="member-present",
            who=held.who,
            array=held.array.label,
        )
    verify_free(host, held.device.number, held.member)
    await verify_no_writer(host, ((held.member, held.device.number),))
    with Exclusive(host, held.device, held.who):
        found = await found_within(host, held.device.number)
        # A signature at the array's own start shows through from inside the array.
        inside = await found_on(held.array.device.node) if held.array.array.metadata in _UNSHIFTED else ()
        shows = {one.name for one in found} & {one.name for one in inside}
        verify_confirmed(found, {md.MEMBER_SIGNATURE, *shows}, held.member)
        finished = await run((md.MDADM, "--examine", "--export", held.device.node), limit_s=_LIMIT_SECONDS)
        if md.exported(finished.output).get("MD_UUID") != held.array.array.uuid:
            raise DiskRefused(
                "{who} was a member of another array than {array}.",
                code="disk-other-array",
                disk=held.member.id,
                who=held.who,
                array=held.array.label,
            )
        superblock = read_superblock(held.device.fd, host.size_bytes(held.device.number))
    history = await history_beside(host, number, superblock) if superblock is not None else None
    if superblock is not None and history is not None and history.has_own_data:
        raise _has_own_data(held, superblock, history)


def _has_own_data(held: HeldMember, superblock: MemberSuperblock, history: History) -> DiskRefused:
    """Return why a half with data of its own isn't taken back, and the ways on."""
    sentence = _AHEAD if history is History.AHEAD else _PARTED
    return DiskRefused(
        sentence,
        code="disk-parted",
        disk=held.member.id,
        who=held.who,
        array=held.array.label,
        when=time.strftime("%Y-%m-%d %H:%M", time.localtime(superblock.updated_s)),
        history=str(history),
        updated_s=superblock.updated_s,
        signatures=[half_word(superblock.name, superblock.uuid, superblock.updated_s), md.MEMBER_SIGNATURE],
    )


def verify_not_failed(host: Host, array: PinnedArray) -> None:
    """Raise DiskRefused if more members are gone than the array survives.

    A member that leaves it then, or returns, loses its slot: md takes it back as a spare, and says that it succeeded
    (tried with Linux 6.1). A new one can't be rebuilt, and stays in it as a spare that a start by force counts.
    """
    if has_failed(host, array.array.number):
        raise DiskRefused(
            "{array} has failed: more of its members are gone than it survives. A member that is removed or taken back "
            "now loses its slot, a new one can't be rebuilt, and the data go with that. Plug in the disks that are "
            "gone, unmount and stop the array; then a rescue (raidwright array rescue) starts it by force, tried on "
            "copies first. Nothing was done.",
            code="array-failed",
            array=array.label,
        )


def has_failed(host: Host, array: int) -> bool:
    """Return whether the running array has lost data: more members are gone than it survives, or md says so."""
    if is_half_assembled(host, array):  # as a failed start leaves it, with some of the members
        return False
    level = host.attribute(array, "md/level")
    if level in set(Level) and Level(level).is_redundant and host.attribute(array, "md/raid_disks").isdecimal():
        return not survives_without(host, array)
    return host.attribute(array, "md/array_state") == "broken"


async def fail(_host: Host, held: HeldMember, log: list[str]) -> None:
    """Mark the member as failed; raises JobFailed."""
    await _manage(held, "--fail", log)


async def remove(host: Host, held: HeldMember, log: list[str]) -> None:
    """Remove the failed member or spare; raises JobFailed."""
    await _manage(held, "--remove", log)
    host.announce(held.array.array.number)  # no wait for udev: it waits for the disk, which we hold


async def settle() -> None:
    """Wait until udev has handled its events, or the time is up."""
    await run((md.UDEVADM, "settle", f"--timeout={_SETTLE_SECONDS}"), limit_s=_LIMIT_SECONDS, accept=(0, 1))


async def re_add(host: Host, held: HeldMember, log: list[str]) -> CameBack:
    """Re-add the former member, by bitmap or event count if md can tell what it missed; raises JobFailed.

    md refuses ``--re-add`` unless the bitmap or the event count covers what was missed; it doesn't look at what the
    disk's own superblock says of the others. One that missed a reshape comes back as a new disk: md would keep its data
    where they lay before, apart from the others'. So does one whose rebuild never ended, and a copy of a member.
    """
    number = held.array.array.number
    superblock = read_superblock(held.device.fd, host.size_bytes(held.device.number))
    history = await history_beside(host, number, superblock) if superblock is not None else None
    if superblock is not None and history is not None and history.has_own_data:
        raise _has_own_data(held, superblock, history)
    is_apart = history is not None and not history.catches_up
    is_new = superblock is None or is_apart or missed_reshape(host, number, superblock)
    if is_new:
        await md.zero_superblock(held.device.node, log)
    coming = [place for place in places(host, number) if not place.works and not place.flags & {"faulty", "journal"}]
    is_wanted = missing(host, number) > len(coming)  # else another device is about to take the slot
    if is_wanted and not is_new and await _manage(held, "--re-add", log, accept=(0, 1)):
        return CameBack.CAUGHT_UP
    await _manage(held, "--add", log)
    return CameBack.REBUILDS if is_wanted else CameBack.SPARE


def missed_reshape(host: Host, array: int, former: MemberSuperblock) -> bool:
    """Return whether the array was reshaped, or began to be, without the ``former`` member.

    A mirror gets another slot without moving any data.
    """
    if former.feature_map & RESHAPES or former.level == Level.RAID1:
        return bool(former.feature_map & RESHAPES)
    now = [host.attribute(array, f"md/{name}") for name in ("level", "raid_disks", "layout", "chunk_size")]
    return now != [former.level, str(former.slots), str(former.layout), str(512 * former.chunk_sectors)]


async def _manage(held: HeldMember, act: str, log: list[str], accept: tuple[int, ...] = (0,)) -> bool:
    argv = (md.MDADM, "--manage", held.array.device.node, act, held.device.node)
    finished = await run(argv, limit_s=_LIMIT_SECONDS, accept=accept)
    log.append(finished.command)
    return finished.code == 0


def place_of(host: Host, held: HeldMember) -> MemberDevice:
    """Return the disk's place in its array; raises DiskRefused if it isn't in it."""
    for place in places(host, held.array.array.number):
        if place.number == held.device.number:
            return place
    raise DiskRefused(
        "{who} is not in the array {array}; look at the list of its members.",
        code="disk-no-member",
        disk=held.member.id,
        who=held.who,
        array=held.array.label,
    )


def survives_without(host: Host, array: int, lost: Collection[int] = ()) -> bool:
    """Return whether every slot that md needs has a working device other than those ``lost``.

    False for an unknown level.
    """
    level, slots = host.attribute(array, "md/level"), host.attribute(array, "md/raid_disks")
    if level not in set(Level) or not slots.isdecimal():
        return False
    layout = copies_layout(int(host.attribute(array, "md/layout") or 0)) if level == Level.RAID10 else None
    working = {place.slot for place in places(host, array) if place.works and place.number not in lost}
    plan = Plan(MdArray(Level(level), (None,) * int(slots), layout=layout))
    return array_survives(plan.array, set(range(int(slots))) - working)
