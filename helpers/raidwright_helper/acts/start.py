"""Starting a stopped array, with exactly those members whose superblocks were read.

Nothing is forced: members that fell behind are left out (one that was being rebuilt isn't), an array that needs
``mdadm --force`` is refused, and one that comes up with fewer members than when it was last written to needs a
confirmation. Sources: mdadm(8), Assemble mode (``--run``, ``--readonly``); kernel ``Documentation/admin-guide/md.rst``
(array_state).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.md.assembly import Assembly, AssemblyState, MemberState, assemblies, linux_version
from raidwright.core.md.changes.commands import backup_path
from raidwright.core.md.histories import branches, of_branch
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.core.md.member_superblock import MemberSuperblock, waits_at_start
from raidwright.core.md.needs import lacks_linear
from raidwright.core.messages import say
from raidwright.core.model.names import is_array_name

from raidwright_helper.host import built_with, md
from raidwright_helper.host.arrays import READS_HANG, verify_name, verify_read
from raidwright_helper.host.guards import Exclusive, Pinned, first_written, lock_out_udev, pinned, reason_of_use
from raidwright_helper.host.host import Host
from raidwright_helper.host.host_facts import kernel_release
from raidwright_helper.host.layers import LVM
from raidwright_helper.host.lvm_groups import activate_on
from raidwright_helper.host.runner import ProgramResult, run
from raidwright_helper.host.seen import array_label, seen_array, serial_of
from raidwright_helper.host.signatures import found_on
from raidwright_helper.host.superblocks import carriers_of, half_assembled, read_superblock
from raidwright_helper.jobs.claims import Claims

_LIMIT_SECONDS = 120.0
_CRITICAL = "critical section"  # mdadm's Assemble.c, Grow.c (Grow_restart)
_WANTS_BACKUP = "--backup-file="  # Grow.c (reshape_array)
_WHY_NOT = {
    AssemblyState.SHORT: say("Too few of its members are here ({here} of {slots}); plug in the others."),
    AssemblyState.BEHIND: say(
        "{here} of its {slots} members agree; the others fell behind, and it isn't forced here. “Rescue …” (raidwright "
        "array rescue) tries that on copies first."
    ),
    AssemblyState.DIRTY: say(
        "It lacks a member and was being written to when it stopped, so md starts it only by force, which can lose "
        "what was being written. Plug in the missing member; if it is lost, or was out before, “Rescue …” (raidwright "
        "array rescue) tries that on copies first."
    ),
    AssemblyState.UNKNOWN: say("Its level isn't known here."),
}
_COPIES = say(
    "Several disks say that they are slot {slot} of {array}, as copies of a disk do. Unplug those that are not meant."
)
_TWINS = say(
    "Two arrays with the UUID of {array} are here: several disks that are no copies of each other say that they are "
    "slot {slot}. Unplug the disks of one of them."
)
_LACKS_JOURNAL = say(
    "Its write journal is missing, and what was written last may be there alone. Plug in the disk of the journal. If "
    "that is lost, a rescue tries on overlays what can be read without it."
)


@dataclass(frozen=True, slots=True)
class Startable:
    """A startable array and its members, held open; ``half`` is the inactive device left by udev's earlier try.

    ``update`` are mdadm's words that change its superblocks, after which it is ``called`` so ("" for its own name).
    """

    assembly: Assembly
    devices: tuple[Pinned, ...]
    half: int | None
    read_only: bool
    called: str = ""
    update: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Label in sentences, prompts and the journal."""
        return array_label(self.assembly.label, self.assembly.uuid)


async def prepare(
    host: Host,
    claims: Claims,
    array_of: tuple[str, str],
    until: contextlib.ExitStack,
    *,
    read_only: bool,
    missing: bool,
    of_disk: str = "",
) -> Startable:
    """Return the array of this UUID and name and the members it is started with, held until ``until`` closes.

    ``missing``: it may come up with fewer members than when it was last written to. ``of_disk`` is a disk, by its
    by-id name, of the half that is meant of an array whose members parted; the others stay out. Raises InputError if it
    runs or has another name, DiskRefused if it can't be started so, or its members are in use, and Busy.
    """
    uuid, name = md.checked_uuid(array_of[0]), array_of[1]
    half, seen = half_assembled(host, uuid), seen_array(host, uuid)
    if seen and seen.number != half:
        raise InputError("The array {array} runs already.", code="array-runs", array=seen.label)
    devices = _pinned_carriers(host, uuid, until)
    whole = {host.whole(number) for number in devices}
    until.enter_context(claims.hold(whole))
    await lock_out_udev(host, {number for number in whole if host.is_disk(number)}, until)
    assembly = _assembled(host, uuid, devices, of_disk)
    verify_name(assembly.label, name)
    _verify_may_start(host, assembly, await md.mdadm_version(), missing=missing)
    if read_only:
        _verify_only_read(assembly)
    left_out, coming = (
        (MemberState.BEHIND, MemberState.PARTED, MemberState.REBUILDING),
        {one.id for one in assembly.coming},
    )
    members = [devices[int(one)] for one, state in assembly.members if state not in left_out or one in coming]
    for device in members:
        _verify_unused(host, device.number, half)
    parts = {part for device in members for part in (device.number, host.whole(device.number))}
    if (written := await first_written(host, parts)) is not None:
        disk = host.kernel_name(written.number)
        raise DiskRefused("{disk} {reason}.", code="disk-in-use", disk=disk, reason=written.reason)
    return Startable(assembly, tuple(members), half, read_only)


def _pinned_carriers(host: Host, uuid: str, until: contextlib.ExitStack) -> Mapping[int, Pinned]:
    devices: dict[int, Pinned] = {}
    for number in carriers_of(host, uuid):
        device = until.enter_context(pinned(host, host.node(number), who=host.kernel_name(number)))
        devices[device.number] = device
    return devices


def _assembled(host: Host, uuid: str, devices: Mapping[int, Pinned], of_disk: str = "") -> Assembly:
    read = {str(one.number): read_superblock(one.fd, host.size_bytes(one.number)) for one in devices.values()}
    found: dict[str, MemberSuperblock] = {key: one for key, one in read.items() if one and one.uuid == uuid}
    if not found:
        raise DiskRefused("No disk here is a member of an array with the UUID {uuid}.", code="disk-missing", uuid=uuid)
    if of_disk:
        found = dict(of_branch(found, _disk_of_half(host, found, of_disk)))
    [assembly] = assemblies(found)
    if assembly.halves:
        raise _parted(host, assembly)
    if assembly.twice:
        array, slot = array_label(assembly.label, uuid), assembly.twice[0][0].slot
        sentence = say(_TWINS if assembly.has_twin else _COPIES, slot=slot, array=array)
        raise DiskRefused(sentence, code="array-twice", slot=slot, array=array)
    return assembly


def _disk_of_half(host: Host, found: Mapping[str, MemberSuperblock], of_disk: str) -> str:
    """Return the name in ``found`` of the disk that the half is named by; raises DiskRefused if it is in none."""
    named = str(host.number_of(f"/dev/disk/by-id/{of_disk}"))
    if not any(named in one.members for one in branches(found)):
        raise DiskRefused(
            "{disk} isn't a member that was written to last, so it can't be started of that.",
            code="array-no-half",
            disk=of_disk,
        )
    return named


def _parted(host: Host, assembly: Assembly) -> DiskRefused:
    """Return the refusal of an array whose members parted: each half with its date, and the choice."""
    halves = [
        say(
            "{disks:and} (written to until {when})",
            disks=[_who(host, int(name)) for name in half.members],
            when=time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(half.updated_s)),
        )
        for half in assembly.halves
    ]
    return DiskRefused(
        "{array} was written to in parts that didn't know of each other: {halves:and}. Each holds what the other "
        "lacks, and together they can't run. Choose one by a disk of it, read-only if in doubt; the other can be "
        "looked at the same way, and comes back to the chosen one only as a new disk.",
        code="array-parted",
        array=array_label(assembly.label, assembly.uuid),
        halves=halves,
    )


def _who(host: Host, number: int) -> str:
    """Return a disk's name for people: its kernel name, and its serial number if it has one."""
    serial = serial_of(host, host.whole(number))
    return f"{host.kernel_name(number)} {serial}".strip()


def _verify_may_start(host: Host, assembly: Assembly, mdadm: MdadmVersion, *, missing: bool) -> None:
    label = array_label(assembly.label, assembly.uuid)
    if assembly.state is not AssemblyState.STOPPED:
        sentence = _LACKS_JOURNAL if assembly.lacks_only_journal else _WHY_NOT[assembly.state]
        why = say(sentence, here=assembly.here, slots=assembly.slots)
        raise DiskRefused("{array} can't be started. {why}", code="array-short", array=label, why=why)
    if assembly.lacks_layout:
        raise DiskRefused(
            "{array} is a RAID 0 of unlike disks, and its superblocks don't say how the part beyond the smallest disk "
            "is laid out: Linux up to 3.13 did it one way, later ones another, and the wrong one damages what is "
            "written. A rescue tries both on copies. Nothing was done.",
            code="array-layout",
            array=label,
        )
    if assembly.dropped and not missing:
        raise DiskRefused(
            "{array} was last written with {more} more of its members than are here. Started so it is degraded, and "
            "those members have to be rebuilt later. If they were written to on their own since then, they are newer "
            "than what is here. Plug them in, or confirm that it may start without them.",
            code="array-lacks",
            array=label,
            more=len(assembly.dropped),
        )
    if assembly.starts_on.needs_newer_mdadm(str(mdadm)):
        raise DiskRefused(
            "{array} is started by mdadm {needed} and later ({features:and}); this is mdadm {mdadm}.",
            code="array-mdadm",
            array=label,
            needed=assembly.starts_on.mdadm,
            features=list(assembly.starts_on.needs),
            mdadm=str(mdadm),
        )
    release = kernel_release(host)
    if assembly.level == Level.LINEAR and lacks_linear(release):
        raise DiskRefused(
            "{array} is a linear array, which Linux 6.8 to 6.13 can't run; this is Linux {running}.",
            code="array-kernel",
            array=label,
            running=release,
        )
    if assembly.level == Level.LINEAR and built_with.lacks_linear(host):
        raise DiskRefused(
            "{array} is a linear array, and this Linux ({running}) was built without them.",
            code="array-kernel",
            array=label,
            running=release,
        )
    if not assembly.starts_on.is_met_by(release):
        raise DiskRefused(
            "{array} starts on Linux {needed} and later ({features:and}); this is Linux {running}.",
            code="array-kernel",
            array=label,
            needed=assembly.starts_on.linux,
            features=list(assembly.starts_on.needs),
            running=".".join(map(str, linux_version(release))),
        )


def _verify_only_read(assembly: Assembly) -> None:
    label = array_label(assembly.label, assembly.uuid)
    verify_read(assembly.level, assembly.geometry.features, label)
    if not waits_at_start(assembly.level, assembly.geometry.features):
        raise DiskRefused(
            "{array} was cut off within a reshape, and mdadm goes on with that as soon as it starts the array, also "
            "read-only. Start it to be written to; if in doubt, copy the disks first.",
            code="array-goes-on",
            array=label,
        )
    if not assembly.may_be_looked_into:
        raise DiskRefused(READS_HANG, code="array-reshape-waits", array=label)


def _verify_unused(host: Host, number: int, half: int | None) -> None:
    if half is not None and host.holders(number) == (half,):
        return
    if (reason := reason_of_use(host, number)) is not None:
        name = host.kernel_name(number)
        raise DiskRefused("{disk} {reason}.", code="disk-in-use", disk=name, reason=reason)


async def start(host: Host, held: Startable, log: list[str]) -> md.RunningArray:
    """Start the array; ``log`` gets each command. Raises DiskRefused for a member that came into use, JobFailed."""
    if held.half is not None:
        log.append((await run((md.MDADM, "--stop", host.node(held.half)), limit_s=_LIMIT_SECONDS)).command)
    for device in held.devices:  # the kernel confirms that nobody has it open; mdadm, too, opens it so
        with Exclusive(host, device, host.kernel_name(device.number)):
            superblock = read_superblock(device.fd, host.size_bytes(device.number))
        if superblock is None or superblock.uuid != held.assembly.uuid:
            raise DiskRefused(
                "{disk} has changed; list the disks again.",
                code="disk-changed",
                disk=host.kernel_name(device.number),
            )
    node = _free_node(host, held.called or held.assembly.name, held.assembly.uuid)
    # --run is only needed if members went missing since the last write; a person has confirmed that
    flags = [*(["--readonly"] if held.read_only else []), *(["--run"] if held.assembly.dropped else []), *held.update]
    backup = Path(backup_path(held.assembly.uuid))  # of a reshape that a crash cut off
    if (host.root / str(backup).lstrip("/")).is_file():
        flags.append(f"--backup-file={backup}")
    members = [device.node for device in held.devices]
    argv = (md.MDADM, "--assemble", *flags, f"--uuid={held.assembly.uuid}", node, *members)
    finished = await run(argv, limit_s=_LIMIT_SECONDS, accept=(0, 1, 2))
    log.append(finished.command)
    await md.settle(md.uuid_path(held.assembly.uuid))
    half, seen = half_assembled(host, held.assembly.uuid), seen_array(host, held.assembly.uuid)
    if seen is None or half is not None:
        if half is not None:
            log.append((await run((md.MDADM, "--stop", host.node(half)), limit_s=_LIMIT_SECONDS)).command)
        raise _failure(held, finished)
    array = await md.read_array(host, seen.number)
    if held.assembly.is_misread:  # udev's rule has done so, where it counts; then mdadm says that it's writable already
        argv = (md.MDADM, "--readwrite", array.node)
        log.append((await run(argv, limit_s=_LIMIT_SECONDS, accept=(0, 1))).command)
    return array


async def activate_volumes(host: Host, array: md.RunningArray, log: list[str]) -> None:
    """Activate LVM's volumes on the started array, if it carries any; what can't be activated is noted in ``log``."""
    if any(found.kind == LVM for found in await found_on(array.node)):
        await activate_on(host, array.number, log)
        host.announce(array.number)


def _failure(held: Startable, finished: ProgramResult) -> JobFailed:
    """Return why md didn't start the array; mdadm says it of a reshape without the copy of what was being moved."""
    if _CRITICAL in finished.errors:
        return JobFailed(
            "{array} was cut off in the first stripes of its reshape, and mdadm doesn't find its copy of them, so what "
            "they held may be whole in neither shape. Nothing was forced. Copy the disks, or try it on overlays first.",
            code="array-critical",
            array=held.label,
            command=finished.command,
            said=finished.errors.splitlines()[-4:],
        )
    if _WANTS_BACKUP in finished.errors:
        return JobFailed(
            "{array} was cut off in a reshape that keeps a copy of what it moves in a backup file, and that file isn't "
            "here. If you have it (its path stood behind --backup-file), copy it to {path} and start the array again. "
            "If it is lost, copy the disks first; then mdadm goes on without it (--assemble with an empty file as "
            "--backup-file, and --invalid-backup), and the stripes that were being moved can be wrong.",
            code="array-wants-backup",
            array=held.label,
            path=backup_path(held.assembly.uuid),
            command=finished.command,
            said=finished.errors.splitlines()[-4:],
        )
    return finished.failure() if finished.code else JobFailed("md didn't start the array.", code="array-start")


def _free_node(host: Host, name: str, uuid: str) -> str:
    """Return the array's link for mdadm: by its name, unless another array has that."""
    if is_array_name(name) and not md.name_is_taken(host, f"/dev/md/{name}"):
        return f"/dev/md/{name}"
    return f"/dev/md/{uuid.replace(':', '')[:16]}"
