"""The host's arrays: finding, reading and dismantling them.

``raidwright.core.mdadm`` makes the commands that create an array; the commands here only read arrays and stop them.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.md.mdadm_versions import MDADM_4_2, MdadmVersion
from raidwright.core.model.names import array_uuid

from .array_users import open_in
from .host import Host
from .runner import ProgramResult, run
from .seen import name_of
from .signatures import found_on

MDADM = "/usr/sbin/mdadm"
UDEVADM = "/usr/bin/udevadm"
_VERSION = re.compile(r"v(\d+)\.(\d+)")
_UUID = re.compile(r"[0-9a-f]{8}(:[0-9a-f]{8}){3}")
_SETTLE_SECONDS = 10
_LIMIT_SECONDS = 60.0
_STOP_PAUSES_S = (0.0, 0.5, 1.0, 2.0, 4.0)  # udev has an array open while it probes it
MEMBER_SIGNATURE = "linux_raid_member"


@dataclass(frozen=True, slots=True)
class RunningArray:
    """A running array, from md and its superblock; ``name`` is without its homehost, ``full_name`` with it.

    An array without a name (0.90) is named by its UUID.
    """

    number: int
    node: str
    uuid: str
    array_sectors: int
    component_size_kib: int
    name: str = ""
    metadata: str = ""
    full_name: str = ""


async def mdadm_version() -> MdadmVersion:
    """Return the installed mdadm's version; raises JobFailed if it is missing, or too old for Raidwright."""
    finished = await run((MDADM, "--version"), limit_s=_LIMIT_SECONDS)
    match = _VERSION.search(finished.output + finished.errors)
    version = MdadmVersion(int(match[1]), int(match[2])) if match else None
    if version is None or version < MDADM_4_2:
        raise JobFailed(
            "Raidwright needs mdadm {least} or later; update mdadm.", code="mdadm-old", least=str(MDADM_4_2)
        )
    return version


def checked_uuid(text: str) -> str:
    """Return ``text`` if it has the form of an array's UUID; raises InputError."""
    if not _UUID.fullmatch(text):
        raise InputError("An array's UUID looks like 0a1b2c3d:… with four such parts.", code="uuid")
    return text


def new_uuid() -> str:
    """Return a UUID for a new array, in mdadm's form."""
    return array_uuid(str(uuid.uuid4()))


async def uuids_of(host: Host, number: int) -> list[str]:
    """Return the UUIDs of a running array and of its inner arrays, the innermost first."""
    inner = [await uuids_of(host, slave) for slave in host.slaves(number) if host.slaves(slave)]
    return [*(one for group in inner for one in group), (await read_array(host, number)).uuid]


def uuid_path(uuid: str) -> str:
    """Return udev's link to the array (mdadm's rule 63-md-raid-arrays)."""
    return f"/dev/disk/by-id/md-uuid-{uuid}"


async def read_array(host: Host, number: int) -> RunningArray:
    """Return the running array with this device number; raises JobFailed if it isn't one."""
    node = host.node(number)
    finished = await run((MDADM, "--detail", "--export", node), limit_s=_LIMIT_SECONDS)
    facts = exported(finished.output)
    return RunningArray(
        number=number,
        node=node,
        uuid=facts.get("MD_UUID", ""),
        array_sectors=host.size_bytes(number) // 512,
        component_size_kib=int(host.attribute(number, "md/component_size") or 0),
        name=name_of(facts.get("MD_NAME", ""), facts.get("MD_UUID", "")),
        metadata=facts.get("MD_METADATA", ""),
        full_name=facts.get("MD_NAME", ""),
    )


def exported(output: str) -> Mapping[str, str]:
    """Parse the output of ``mdadm --export``, by key.

    A superblock's name is in it unescaped, so a line ends at a newline alone and the first value of a key counts, which
    mdadm writes before the name.
    """
    facts: dict[str, str] = {}
    for line in output.split("\n"):
        key, _, value = line.partition("=")
        facts.setdefault(key, value)
    return facts


async def settle(path: str) -> None:
    """Wait until udev has made the link ``path``."""
    argv = (UDEVADM, "settle", f"--timeout={_SETTLE_SECONDS}", f"--exit-if-exists={path}")
    await run(argv, limit_s=_SETTLE_SECONDS + 5.0, accept=(0, 1))  # 1: timed out; the caller checks itself


async def give(node: str) -> None:
    """Give a member to md as udev does, which starts its array once all are there.

    Since mdadm 4.4 its rules of udev do so only as a device is added, no more as its content has changed.
    """
    await run((MDADM, "--incremental", "--quiet", node), limit_s=_LIMIT_SECONDS, accept=tuple(range(256)))


async def superblock_uuid(node: str) -> str:
    """Return the UUID in the md superblock of ``node``, "" if it has none; raises JobFailed."""
    if not any(found.kind == MEMBER_SIGNATURE for found in await found_on(node)):
        return ""
    finished = await run((MDADM, "--examine", "--export", node), limit_s=_LIMIT_SECONDS)
    return exported(finished.output).get("MD_UUID", "")


def arrays_on(host: Host, disks: Iterable[int], besides: Collection[int] = ()) -> tuple[int, ...]:
    """Return the md arrays stacked on ``disks`` and their partitions, the topmost first.

    Raises DiskRefused if anything else is on them, except the devices ``besides``.
    """
    found: dict[int, None] = {}
    layer = [part for disk in disks for part in (disk, *host.partitions(disk))]
    while layer:
        above = [holder for number in layer for holder in host.holders(number) if holder not in besides]
        for number in above:
            if not host.attribute(number, "md/level") and not (host.block_dir(number) / "md").exists():
                raise DiskRefused(
                    "{user} uses the array; stop that first.", code="disk-in-use", user=host.kernel_name(number)
                )
            found.pop(number, None)  # found again further up: it belongs there
            found[number] = None
        layer = above
    return tuple(reversed(found))


def leaf_members(host: Host, number: int) -> frozenset[int]:
    """Return the disks and partitions below an array, those of inner arrays included."""
    below = host.slaves(number)
    return frozenset().union(*(leaf_members(host, slave) for slave in below)) if below else frozenset({number})


def failed_members(host: Host, number: int) -> Iterator[int]:
    """Yield the faulty disks and partitions of an array and its inner arrays (kernel ``admin-guide/md.rst``)."""
    for member in host.slaves(number):
        yield from failed_members(host, member)
        if "faulty" in host.attribute(number, f"md/dev-{host.kernel_name(member)}/state").split(","):
            yield member


async def dismantle(host: Host, disks: Sequence[int], log: list[str]) -> None:
    """Stop every array on ``disks`` and remove md's superblocks from them; ``log`` gets each command that ran.

    Raises DiskRefused or JobFailed if an array is in use, JobFailed if a disk fails.
    """
    await stop_arrays(host, disks, log)
    for disk in disks:
        await zero_superblock(host.node(disk), log)


async def stop_arrays(host: Host, disks: Sequence[int], log: list[str]) -> None:
    """Stop every array on ``disks``, the topmost first; ``log`` gets each command that ran.

    The outer array's superblock is removed from an inner array while that is still accessible; otherwise the outer
    array would reappear with the next array created in the same place. Raises DiskRefused or JobFailed when one is in
    use.
    """
    for number in arrays_on(host, disks):
        if (point := host.mount_point(number)) is not None:
            raise JobFailed("The array is mounted at {point}; unmount it first.", code="array-mounted", point=point)
        members = host.slaves(number)
        await stop_when_unused(host, number, log)
        for inner in filter(host.slaves, members):
            try:
                await zero_superblock(host.node(inner), log)
            except JobFailed as error:  # a disk below it fails, which must not keep the inner array from being stopped
                log.append(f"{host.node(inner)}: {error.sentence}")


async def stop_when_unused(host: Host, number: int, log: list[str]) -> None:
    """Stop the array, waiting for who looks into it for a moment; raises DiskRefused with who keeps it, JobFailed."""
    for pause_s in _STOP_PAUSES_S:
        await asyncio.sleep(pause_s)
        finished = await stop(host, number)
        if not finished.code:
            log.append(finished.command)
            return
    if (how := await open_in(host, number)) is not None:
        raise DiskRefused("{device} {how}. Nothing was stopped.", code="array-open", device=host.node(number), how=how)
    raise finished.failure()


async def stop(host: Host, number: int) -> ProgramResult:
    """Have mdadm stop the array, once none of our own looks has it open; return its result, of code 0 or 1."""
    async with host.looks.kept_out({number}):
        return await run((MDADM, "--stop", host.node(number)), limit_s=_LIMIT_SECONDS, accept=(0, 1))


async def zero_superblock(node: str, log: list[str]) -> None:
    """Remove md's superblock from ``node``, if there is one; ``log`` gets the command. Raises JobFailed."""
    if any(found.kind == MEMBER_SIGNATURE for found in await found_on(node)):
        log.append((await run((MDADM, "--zero-superblock", node), limit_s=_LIMIT_SECONDS)).command)


def name_is_taken(host: Host, path: str) -> bool:
    """Return whether the array's path below /dev/md exists already."""
    place = Path(host.root / path.lstrip("/"))
    return place.is_symlink() or place.exists()
