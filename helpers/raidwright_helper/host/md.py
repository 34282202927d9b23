"""The arrays of this host: finding one, reading what it really is, and taking one apart.

What makes an array is ``raidwright.core.mdadm``'s to say; the words here only look at arrays and stop them.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.md.mdadm_versions import MDADM_4_2, MdadmVersion
from raidwright.core.model.names import array_uuid

from .host import Host
from .runner import run
from .seen import name_of
from .signatures import found_on

MDADM = "/usr/sbin/mdadm"
UDEVADM = "/usr/bin/udevadm"
_VERSION = re.compile(r"v(\d+)\.(\d+)")
_UUID = re.compile(r"[0-9a-f]{8}(:[0-9a-f]{8}){3}")
_SETTLE_SECONDS = 10
_LIMIT_SECONDS = 60.0
_STOP_PAUSES_S = (0.0, 0.5, 1.0, 2.0, 4.0)  # udev has an array open while it looks at it
MEMBER_SIGNATURE = "linux_raid_member"


@dataclass(frozen=True, slots=True)
class Array:
    """An array that runs, as md and its superblock tell it; ``name`` is without its home host, ``full_name`` with it.

    An array without a name (0.90) goes by its UUID.
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
    """Which mdadm is here; raises JobFailed for none, and for one older than Raidwright knows."""
    finished = await run((MDADM, "--version"), limit_s=_LIMIT_SECONDS)
    match = _VERSION.search(finished.output + finished.errors)
    version = MdadmVersion(int(match[1]), int(match[2])) if match else None
    if version is None or version < MDADM_4_2:
        raise JobFailed(
            "Raidwright needs mdadm {least} or later; update mdadm.", code="mdadm-old", least=str(MDADM_4_2)
        )
    return version


def checked_uuid(text: str) -> str:
    """``text`` when it has the form of an array's UUID; raises InputError."""
    if not _UUID.fullmatch(text):
        raise InputError("An array's UUID looks like 0a1b2c3d:… with four such parts.", code="uuid")
    return text


def new_uuid() -> str:
    """A UUID for an array that is to be made, as mdadm writes it."""
    return array_uuid(str(uuid.uuid4()))


async def uuids_of(host: Host, number: int) -> list[str]:
    """The UUIDs of a running array and of those that it is made of, the innermost first."""
    inner = [await uuids_of(host, slave) for slave in host.slaves(number) if host.slaves(slave)]
    return [*(one for group in inner for one in group), (await read_array(host, number)).uuid]


def uuid_path(uuid: str) -> str:
    """The link by which udev knows the array (mdadm's rule 63-md-raid-arrays)."""
    return f"/dev/disk/by-id/md-uuid-{uuid}"


async def read_array(host: Host, number: int) -> Array:
    """The running array with this device number; raises JobFailed when it isn't one."""
    node = host.node(number)
    finished = await run((MDADM, "--detail", "--export", node), limit_s=_LIMIT_SECONDS)
    facts = exported(finished.output)
    return Array(
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
    """What ``mdadm --export`` says, by key.

    A superblock's name stands in it as it is, so a line ends at a newline alone and of a key's values the first counts,
    which mdadm writes before the name.
    """
    facts: dict[str, str] = {}
    for line in output.split("\n"):
        key, _, value = line.partition("=")
        facts.setdefault(key, value)
    return facts


async def settle(path: str) -> None:
    """Wait until udev has made the link ``path``."""
    argv = (UDEVADM, "settle", f"--timeout={_SETTLE_SECONDS}", f"--exit-if-exists={path}")
    await run(argv, limit_s=_SETTLE_SECONDS + 5.0, accept=(0, 1))  # 1: the time was up; the caller looks itself


async def superblock_uuid(node: str) -> str:
    """The UUID of the array of which ``node`` carries a superblock, "" for none; raises JobFailed."""
    if not any(found.kind == MEMBER_SIGNATURE for found in await found_on(node)):
        return ""
    finished = await run((MDADM, "--examine", "--export", node), limit_s=_LIMIT_SECONDS)
    return exported(finished.output).get("MD_UUID", "")


def arrays_on(host: Host, disks: Iterable[int]) -> tuple[int, ...]:
    """The md arrays stacked on ``disks``, the topmost first; raises DiskRefused when something else is on them."""
    found: dict[int, None] = {}
    layer = list(disks)
    while layer:
        above = [holder for number in layer for holder in host.holders(number)]
        for number in above:
            if not host.attribute(number, "md/level") and not (host.block_dir(number) / "md").exists():
                raise DiskRefused(
                    "{user} uses the array; stop that first.", code="disk-in-use", user=host.kernel_name(number)
                )
            found.pop(number, None)  # seen again further up: it belongs there
            found[number] = None
        layer = above
    return tuple(reversed(found))


def leaf_members(host: Host, number: int) -> frozenset[int]:
    """The disks and partitions below an array, those of inner arrays included."""
    below = host.slaves(number)
    return frozenset().union(*(leaf_members(host, slave) for slave in below)) if below else frozenset({number})


def failed_members(host: Host, number: int) -> Iterator[int]:
    """The disks and partitions that md has failed, in an array and those inside (kernel ``admin-guide/md.rst``)."""
    for member in host.slaves(number):
        yield from failed_members(host, member)
        if "faulty" in host.attribute(number, f"md/dev-{host.kernel_name(member)}/state").split(","):
            yield member


async def dismantle(host: Host, disks: Sequence[int], log: list[str]) -> None:
    """Stop every array on ``disks`` and take md's superblocks off them; ``log`` gets each command that ran.

    Raises DiskRefused or JobFailed when an array is in use, JobFailed when a disk fails.
    """
    await stop_arrays(host, disks, log)
    for disk in disks:
        await zero_superblock(host.node(disk), log)


async def stop_arrays(host: Host, disks: Sequence[int], log: list[str]) -> None:
    """Stop every array on ``disks``, the topmost first; ``log`` gets each command that ran.

    An inner array of a nested one loses the outer one's superblock while it still can be reached; it would otherwise
    come back with the next array that is made in the same place. Raises DiskRefused or JobFailed when one is in use.
    """
    for number in arrays_on(host, disks):
        if (point := host.mount_point(number)) is not None:
            raise JobFailed("The array is mounted at {point}; unmount it first.", code="array-mounted", point=point)
        members = host.slaves(number)
        await _stop(host.node(number), log)
        for inner in filter(host.slaves, members):
            try:
                await zero_superblock(host.node(inner), log)
            except JobFailed as error:  # a disk below it fails, which must not keep the inner array from being stopped
                log.append(f"{host.node(inner)}: {error.sentence}")


async def _stop(node: str, log: list[str]) -> None:
    for pause_s in _STOP_PAUSES_S:
        await asyncio.sleep(pause_s)
        finished = await run((MDADM, "--stop", node), limit_s=_LIMIT_SECONDS, accept=(0, 1))
        if not finished.code:
            log.append(finished.command)
            return
    raise finished.failure()


async def zero_superblock(node: str, log: list[str]) -> None:
    """Take md's superblock off ``node``, if it carries one; ``log`` gets the command. Raises JobFailed."""
    if any(found.kind == MEMBER_SIGNATURE for found in await found_on(node)):
        log.append((await run((MDADM, "--zero-superblock", node), limit_s=_LIMIT_SECONDS)).command)


def name_is_taken(host: Host, path: str) -> bool:
    """Whether something already has the array's path below /dev/md."""
    place = Path(host.root / path.lstrip("/"))
    return place.is_symlink() or place.exists()
