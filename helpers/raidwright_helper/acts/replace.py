"""A disk that joins a running array: in place of a lost member, as a spare, or replacing a readable member.

The rebuild overwrites the disk from end to end, so there is no undo once md has taken the disk: its ends are kept only
until then, in a record like a build's, and restored if it isn't taken. Sources: mdadm(8), Manage mode (``--add``,
``--replace``, ``detached``); kernel ``md.c`` (``remove_and_add_spares``, ``hot_add_disk``).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused, InputError, RaidwrightError
from raidwright.core.messages import say
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import BuildStep
from raidwright.core.protocol.results import Joined

from raidwright_helper.host import bad_blocks, md, members
from raidwright_helper.host.array_facts import least_member_bytes, vanished
from raidwright_helper.host.arrays import PinnedArray, find_single, verify_shape_stays
from raidwright_helper.host.guards import Exclusive, Pinned, person_name
from raidwright_helper.host.holding import HeldDisk, hold_pinned, pin_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import run
from raidwright_helper.host.running_state import reshapes
from raidwright_helper.host.signatures import wipe
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.backup import put_back
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds

from .build import to_save
from .create import all_or_nothing

_LIMIT_SECONDS = 60.0
_FAILURE = say("The disk could not join the array.")
_AS_BEFORE = say("What it held at its ends is back on it.")
_REPLACE_WHOLE = say("Give the whole volume the disk instead: raidwright array replace {volume} --with DISK.")


@dataclass(frozen=True, slots=True)
class JoiningMember:
    """An array and the disk that joins it, both held. ``disk`` None: it is already a spare of the array."""

    array: PinnedArray
    member: Member
    device: Pinned
    disk: HeldDisk | None
    old: members.HeldMember | None = None

    @property
    def who(self) -> str:
        """The new disk's name for people."""
        return person_name(self.member)


async def hold_newcomer(
    host: Host,
    claims: Claims,
    array_of: tuple[str, str],
    new: Member,
    confirmed: Collection[str],
    until: contextlib.ExitStack,
    *,
    old: Member | None = None,
) -> JoiningMember:
    """Return the array of this UUID and name and the disk that may join it, replacing ``old`` if that is given.

    ``confirmed`` names the signatures on ``new`` released for erasure. Raises InputError, DiskRefused, Busy.
    """
    array = await find_single(host, *array_of, until, _REPLACE_WHOLE)
    number = array.array.number
    await members.settle()
    devices = await pin_disks(host, claims, [new, *([old] if old else [])], until)
    others = {number, *host.leaves(number)} - {host.whole(device.number) for device in devices}
    until.enter_context(claims.hold(others))
    verify_shape_stays(host, array)
    verify_takes_members(host, array)
    leaver = members.HeldMember(array, old, devices[1]) if old else None
    if leaver:
        verify_may_be_replaced(host, leaver)
    device = devices[0]
    if device.number in host.slaves(number):
        _verify_is_spare(host, members.HeldMember(array, new, device), leaver)
        return JoiningMember(array, new, device, None, leaver)
    await bad_blocks.verify_takes_newcomer(host, array)
    verify_fits(host, array, new, device, leaver)
    [disk] = await hold_pinned(host, (new,), (device,), {new.id: confirmed}, until)
    return JoiningMember(array, new, device, disk, leaver)


def verify_takes_members(host: Host, array: PinnedArray) -> None:
    """Raise InputError for a level without copies or parity, DiskRefused for an array that failed or is reshaped."""
    number = array.array.number
    if not least_member_bytes(host, number):
        raise InputError(
            "The array {array} has no copies or parity that a disk could be rebuilt from.",
            code="no-redundancy",
            array=array.label,
        )
    members.verify_not_failed(host, array)
    if reshapes(host, number):
        raise DiskRefused(
            "{array} is in the middle of a reshape, which md holds back. Let it go on (raidwright array go-on), and "
            "add the disk once that has ended.",
            code="array-reshapes",
            array=array.label,
        )


def verify_may_be_replaced(host: Host, old: members.HeldMember) -> None:
    """Raise unless ``old`` is a member with a slot; a working one is only replaced while md is idle."""
    place = members.place_of(host, old)
    number = old.array.array.number
    if "faulty" in place.flags:
        return
    if "journal" in place.flags or not place.works:
        raise InputError(
            "{who} holds no data of {array} that could be moved.",
            code="member-idle",
            who=old.who,
            array=old.array.label,
        )
    if members.missing(host, number):
        raise DiskRefused(
            "A member of {array} is missing; fill that place first, then replace {who}.",
            code="array-degraded",
            disk=old.member.id,
            array=old.array.label,
            who=old.who,
        )
    if (action := host.attribute(number, "md/sync_action")) != "idle":
        raise DiskRefused(
            "md is busy with {array} ({action}); wait until it is idle.",
            code="array-busy",
            array=old.array.label,
            action=action,
        )


def _verify_is_spare(host: Host, held: members.HeldMember, leaver: members.HeldMember | None) -> None:
    place = members.place_of(host, held)
    is_spare = place.slot is None and not place.flags & {"faulty", "journal"}
    if is_spare and leaver and members.place_of(host, leaver).works:
        return
    raise InputError("{who} is in {array} already.", code="member-present", who=held.who, array=held.array.label)


def verify_fits(host: Host, array: PinnedArray, new: Member, device: Pinned, leaver: members.HeldMember | None) -> None:
    """Raise DiskRefused if the disk is too small, has too large sectors, or shares a failure with another member."""
    number, who = array.array.number, person_name(new)
    least, size = least_member_bytes(host, number), host.size_bytes(device.number)
    if size < least:
        raise DiskRefused(
            "{who} is too small for {array}: it has {size} bytes ({size:size}), and a member needs "
            "{least_bytes} ({least_bytes:size}).",
            code="disk-small",
            disk=new.id,
            least_bytes=least,
            who=who,
            array=array.label,
            size=size,
        )
    verify_sectors(host, array, new, device)
    leaving = {host.whole(leaver.device.number)} if leaver else set()
    if host.whole(device.number) in host.leaves(number) - leaving:
        raise DiskRefused(
            "{who} lies on a disk that {array} is on already; both would fail together.",
            code="disk-shared",
            disk=new.id,
            who=who,
            array=array.label,
        )


def verify_sectors(host: Host, array: PinnedArray, new: Member, device: Pinned) -> None:
    """Raise DiskRefused if the disk's logical sectors are larger than the array's."""
    sectors, most = (
        int(host.attribute(one, "queue/logical_block_size") or 512)
        for one in (host.whole(device.number), array.array.number)
    )
    if sectors > most:
        raise DiskRefused(
            "{who} has sectors of {sectors} bytes, the array {array} has {most}; what is on the array could not "
            "be read with it. Take a disk with smaller sectors.",
            code="disk-sectors",
            disk=new.id,
            who=person_name(new),
            sectors=sectors,
            array=array.label,
            most=most,
        )


async def join(host: Host, builds: Builds, held: JoiningMember, uid: int, log: list[str]) -> Joined:
    """Add the new disk to the array, in the old member's place if there is one; raises JobFailed.

    This must not be interrupted: the caller waits for its end (``to_the_end``).
    """
    try:
        return await _join(host, builds, held, uid, log)
    finally:
        host.announce(held.array.array.number)  # no wait for udev: it waits for the disk, which we hold


async def _join(host: Host, builds: Builds, held: JoiningMember, uid: int, log: list[str]) -> Joined:
    before = members.missing(host, held.array.array.number)
    if held.disk is None:
        await copy_over(held, log)
        return Joined.TAKES_OVER
    build = await builds.begin(held.array.array.name, uid, [to_save(host, held.disk)], synchronises=False)
    with builds.running(build.id):
        takes_over = await _take_in(host, builds, build, held, log)
    if takes_over:
        return Joined.TAKES_OVER
    if held.old:
        await members.remove(host, held.old, log)
    return Joined.REBUILDS if before else Joined.SPARE


async def _take_in(host: Host, builds: Builds, build: Build, held: JoiningMember, log: list[str]) -> bool:
    """Wipe the disk and add it to the array; return whether it replaces a working member.

    Its record is removed once md has the disk, or once its old bytes are restored; it stays, and names the disk, if the
    helper is killed in between. Raises JobFailed.
    """
    disk, array, saved = held.disk, held.array.array, build.members[0].saved
    assert disk is not None  # noqa: S101  (narrows the type; ``_join`` looked)

    async def take_back() -> None:
        if held.device.number in host.slaves(array.number):
            await manage(held, "--remove", log)
        disk.claim.release()
        with Exclusive(host, held.device, held.who, writable=True) as claim:
            await asyncio.to_thread(put_back, claim.fd, saved, builds.folder_of(build.id), held.who)

    left: Sequence[str] = ()
    is_kept = False
    try:
        async with all_or_nothing(take_back, failure=_FAILURE, consolation=_AS_BEFORE) as left:
            builds.note(build.id, BuildStep.JOIN, disk=disk.member.id, uuid=array.uuid)
            disk.claim.release()  # wipefs and mdadm open it exclusively themselves
            await wipe(host, held.device.number, disk.found, log)
            await manage(held, "--add", log)
            if held.old and members.place_of(host, held.old).works:
                await copy_over(held, log)
                return True
            return False
    except (RaidwrightError, asyncio.CancelledError):
        is_kept = bool(left)
        raise
    finally:
        if not is_kept:
            with contextlib.suppress(
                RaidwrightError
            ):  # records not deleted now are deleted when the helper ends (``drop_joined``)
                builds.drop(build.id)


async def copy_over(held: JoiningMember, log: list[str]) -> None:
    """Have md copy the old member onto the new one, which is a spare of the array; raises JobFailed."""
    assert held.old is not None  # noqa: S101  (narrows the type; ``_verify_is_spare`` and ``join`` looked)
    argv = (md.MDADM, "--manage", held.array.device.node, "--replace", held.old.device.node, "--with", held.device.node)
    log.append((await run(argv, limit_s=_LIMIT_SECONDS)).command)


async def manage(held: JoiningMember, act: str, log: list[str]) -> None:
    """Run mdadm's ``act`` with the new member; raises JobFailed."""
    argv = (md.MDADM, "--manage", held.array.device.node, act, held.device.node)
    log.append((await run(argv, limit_s=_LIMIT_SECONDS)).command)


def verify_may_forget(host: Host, array: PinnedArray) -> None:
    """Raise InputError if no member has vanished, DiskRefused if the array has failed without them."""
    members.verify_not_failed(host, array)
    if not vanished(host, array.array.number):
        raise InputError("Every member that {array} knows of is there.", code="none-vanished", array=array.label)


async def forget_vanished(host: Host, held: PinnedArray, log: list[str]) -> None:
    """Remove the members whose disks are gone from the machine (``detached``); raises JobFailed."""
    for act in ("--fail", "--remove"):
        finished = await run((md.MDADM, "--manage", held.device.node, act, "detached"), limit_s=_LIMIT_SECONDS)
        log.append(finished.command)
    host.announce(held.array.number)
