"""Creating an array with mdadm and reading it back; the caller handles the disks before and after.

``raidwright.core.mdadm`` makes mdadm's command lines; the members are named by the nodes of the pinned disks (see
``guards``), so no change of a link below /dev can substitute another disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from raidwright.core.ending import to_the_end
from raidwright.core.errors import DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands
from raidwright.core.layers.shared_disks import lost_with_one
from raidwright.core.md.mdadm import Command, array_path, inner_name
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.md.needs import refuse_needs
from raidwright.core.messages import Message, say, sentences
from raidwright.core.model.plan import LinearVolume, MdArray, Metadata, Plan
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.host import md
from raidwright_helper.host.built_with import refuse_unbuilt
from raidwright_helper.host.extents import END_BYTES, Extent
from raidwright_helper.host.guards import Exclusive, person_name, pinned, verify_confirmed
from raidwright_helper.host.halves import add_halves, take_back_halves
from raidwright_helper.host.heads import clear_new
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.lvm import verify_may_join
from raidwright_helper.host.runner import run
from raidwright_helper.host.signatures import found_on, wipe
from raidwright_helper.jobs.jobs import Job

_MDADM_SECONDS = 120.0
UNDO_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class BuildOrder:
    """A build: its plan and disks, the mdadm version, and the caller."""

    plan: Plan
    disks: tuple[HeldDisk, ...]
    version: MdadmVersion
    uid: int
    homehost: str = ""

    @property
    def volume(self) -> LinearVolume:
        """The volume to make, as one that is new: not in pieces."""
        if not isinstance(self.plan.top, LinearVolume):
            raise TypeError(self.plan.word)
        return replace(self.plan.top, pieces=())


async def verify_plan(host: Host, plan: Plan) -> MdadmVersion:
    """Return the installed mdadm's version.

    Raises PlanRefused for a plan that mdadm or md would refuse, InputError when a name below /dev/md is taken.
    """
    version = await md.mdadm_version()
    refuse_needs(plan.top, version, _kernel())
    refuse_unbuilt(host, plan)
    capacity_of(plan.top, version)
    create_commands(plan.top)  # refuses plans that mdadm doesn't support, before anything is written
    below = plan.top.arrays if isinstance(plan.top, LinearVolume) else plan.top.members
    names = [inner_name(plan.name, slot) for slot, member in enumerate(below) if isinstance(member, MdArray)]
    if plan.volume:
        await verify_may_join(host, plan.name)
    else:
        names.insert(0, plan.name)
    for name in names:
        if md.name_is_taken(host, array_path(name)):
            raise InputError(
                "There is an array called “{name}” already; choose another name.", code="name-taken", name=name
            )
    return version


def _kernel() -> tuple[int, int] | None:
    """Return the running kernel's version, None if its release has another form."""
    match = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return (int(match[1]), int(match[2])) if match else None


def data_heads(array: MdArray, version: MdadmVersion) -> Iterator[tuple[str, Extent]]:
    """Yield, by disk id, the start of md's data area: the disk's content there is overwritten first."""
    offsets = capacity_of(array, version).data_offset_sectors
    if array.journal:  # it has the first member's data offset
        yield array.journal.id, Extent(next(filter(None, offsets), 0) * 512, END_BYTES)
    for device, sectors in zip(
        (*array.members, *array.spares), offsets, strict=False
    ):  # 0.90 counts a journal as a spare
        if isinstance(device, MdArray):
            yield from data_heads(device, version)
        elif device is not None:
            yield device.id, Extent((sectors or 0) * 512, END_BYTES)


async def make_array(
    host: Host, plan: Plan, disks: Sequence[HeldDisk], job: Job, *, homehost: str = "", uuids: Sequence[str] = ()
) -> md.RunningArray:
    """Create the array and read it back; raises JobFailed, leaving what was created.

    ``uuids``: the arrays' own, if they are given (``core.mdadm.create_commands``).
    """
    nodes = {disk.member.id: disk.device.node for disk in disks}
    job.progress(JobStep.CREATE, 0.1)
    for disk in disks:
        disk.claim.release()
    given = iter(uuids) if uuids else None
    commands = create_commands(plan.top, lambda member: nodes[member.id], homehost=homehost, uuids=given, asks=False)
    await create_each(commands, job, share=0.7)
    job.progress(JobStep.READ_BACK, 0.9)
    return await read_back(host, plan.array, disks)


async def create_each(commands: Sequence[Command], job: Job, *, share: float) -> None:
    """Run each of mdadm's ``commands``, which take ``share`` of the job, and wait for its array; raises JobFailed."""
    for done, command in enumerate(commands, start=1):
        argv = (md.MDADM, *command.argv[1:])
        job.record.commands.append(shlex.join(argv))  # before it runs: a failed command must be in the log, too
        await run(argv, limit_s=_MDADM_SECONDS)
        job.progress(JobStep.SETTLE, round(0.1 + share * done / len(commands), 3))
        await md.settle(command.argv[command.argv.index("--create") + 1])


async def read_back(host: Host, array: MdArray, disks: Sequence[HeldDisk]) -> md.RunningArray:
    """Return ``array`` as md has it; raises JobFailed if it isn't there, or not on exactly ``disks``."""
    number = host.number_of(array_path(array.name))
    if number is None:
        raise JobFailed(
            "mdadm ended well, but {path} did not appear; is udev running?",
            code="no-device",
            path=array_path(array.name),
        )
    wanted = {disk.device.number for disk in disks}
    found = md.leaf_members(host, number)
    if found != wanted:
        raise JobFailed("The array has other members than were asked for.", code="wrong-members")
    return await md.read_array(host, number)


def verify_sound(host: Host, array: int, disks: Sequence[HeldDisk]) -> None:
    """Raise JobFailed if a member has failed or left the array, or an inner one, since it was created."""
    sound = md.leaf_members(host, array) - set(md.failed_members(host, array))
    if names := [person_name(disk.member) for disk in disks if disk.device.number not in sound]:
        raise JobFailed("{names} failed while the array was made; build without it.", code="member-failed", names=names)


_NOT_MADE = say("The array could not be made.")
_TAKEN_BACK = say("What it had written is off the disks again.")


@contextlib.asynccontextmanager
async def all_or_nothing(
    take_back: Callable[[], Awaitable[None]],
    *,
    failure: Message = _NOT_MADE,
    consolation: Message = _TAKEN_BACK,
) -> AsyncIterator[list[Message]]:
    """Run ``take_back`` when the block fails or is cancelled; raises JobFailed with its outcome.

    ``failure`` and ``consolation`` are the beginning of the error's sentence and, if all was undone, its end. Yields
    the list of what could not be undone, in words, to be read after the end.
    """
    left: list[Message] = []

    async def clean_up() -> None:
        try:
            async with asyncio.timeout(UNDO_SECONDS):
                await take_back()
        except RaidwrightError as error:
            left.append(error.sentence)
        except TimeoutError:
            left.append(say("The clean-up took too long."))

    try:
        yield left
    except (RaidwrightError, asyncio.CancelledError) as error:
        await to_the_end(clean_up())
        if isinstance(error, asyncio.CancelledError):
            raise
        outcome = say("Not all could be undone: {left}", left=sentences(left)) if left else consolation
        raise JobFailed(
            sentences([failure, error.sentence, outcome]), code=error.code, left=left, **error.fields
        ) from error


def verify_apart(host: Host, plan: Plan, disks: Sequence[HeldDisk]) -> None:
    """Raise DiskRefused if a disk alone would lose the array, since several of its members are slices of that."""
    wholes = {disk.member.id: host.kernel_name(host.whole(disk.device.number)) for disk in disks}
    for name in lost_with_one(plan.top, lambda member: wholes.get(member.id, member.id)):
        raise DiskRefused(
            "Several members of {array} lie on {disk}; they would fail together, and what is on the array would be "
            "lost. Put them on different disks.",
            code="disk-shared",
            disk=name,
            array=plan.name,
        )


def refuse_nameless(array: MdArray) -> None:
    """Raise InputError for metadata 0.90: such an array gets its UUID when created, so it can't be recorded before."""
    if array.metadata is Metadata.V0_90:
        raise InputError(
            "A scratch array needs metadata 1.0, 1.1 or 1.2, whose UUID is known before it is made.",
            code="scratch-metadata",
        )
    for member in array.members:
        if isinstance(member, MdArray):
            refuse_nameless(member)


async def make_halved(
    host: Host,
    plan: Plan,
    disks: Sequence[HeldDisk],
    job: Job,
    uuids: Sequence[str],
    forget: Callable[[], object],
) -> md.RunningArray:
    """Create a scratch array as ``make_scratch``, on in-kernel partitions for the halves of ``disks``."""
    for disk in disks:
        disk.claim.release()  # an exclusively opened disk allows no partition to be opened
    is_made, is_gone = False, False

    def gone() -> None:
        nonlocal is_gone
        is_gone = True

    try:
        with contextlib.ExitStack() as until:
            held = await _hold_halves(host, plan, disks, until)
            is_made = True
            return await make_scratch(host, plan, held, job, uuids, gone)
    except (RaidwrightError, asyncio.CancelledError):
        if is_gone or not is_made:
            for disk in disks:
                take_back_halves(host, disk.device, disk.member)
            forget()
        raise


async def _hold_halves(
    host: Host, plan: Plan, disks: Sequence[HeldDisk], until: contextlib.ExitStack
) -> Sequence[HeldDisk]:
    wanted, held = {half.id: half for half in plan.disks()}, []
    for disk in disks:
        for name, number in add_halves(host, disk.device, disk.member).items():
            if (half := wanted.get(name)) is not None:
                device = until.enter_context(pinned(host, host.node(number), who=person_name(half)))
                held.append(HeldDisk(half, device, until.enter_context(Exclusive(host, device, name)), ()))
                verify_confirmed(await found_on(device.node), (), half)
    return held


async def make_scratch(
    host: Host,
    plan: Plan,
    disks: Sequence[HeldDisk],
    job: Job,
    uuids: Sequence[str],
    forget: Callable[[], object],
) -> md.RunningArray:
    """Create an array on empty disks, which are left empty if that fails; raises JobFailed.

    ``uuids`` are the arrays' own, already recorded; ``forget`` is called when nothing of them is left.
    """

    async def take_back() -> None:
        await md.dismantle(host, [disk.device.number for disk in disks], job.record.commands)
        for disk in disks:
            if kinds := [one.kind for one in await found_on(disk.device.node)]:
                raise JobFailed(
                    "{disk} still carries {kinds}.", code="left", disk=person_name(disk.member), kinds=kinds
                )

    left: Sequence[str] = ()
    try:
        async with all_or_nothing(take_back) as left:
            made = await make_array(host, plan, disks, job, uuids=uuids)
            await to_the_end(asyncio.to_thread(clear_new, host, made.node))
            # The disks' former contents that show through aren't content of the array.
            await wipe(host, made.number, await found_on(made.node), job.record.commands)
            return made
    except (RaidwrightError, asyncio.CancelledError):
        if not left:
            forget()
        raise
