"""Taking over an array from another computer: its name, and this machine as its home host, go into the superblocks.

It is assembled as ``start`` does, with ``--update=name``, which rewrites name and home host of each member and nothing
else (mdadm(8), Assemble mode; super1.c ``update_super1``). So the array must be stopped, and whole: a member that is
left out would keep the old name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.md.assembly import Assembly, MemberState
from raidwright.core.md.member_superblock import waits_at_start
from raidwright.core.model.names import array_uuid, is_array_name, is_host_name, is_scratch_name
from raidwright.core.model.plan import Metadata

from raidwright_helper.host import md
from raidwright_helper.host.host import Host
from raidwright_helper.host.host_facts import hostname
from raidwright_helper.host.md import MEMBER_SIGNATURE
from raidwright_helper.host.seen import array_label, name_of, uuid_of
from raidwright_helper.jobs.claims import Claims

from . import start
from .start import Startable


async def prepare(
    host: Host, claims: Claims, array_of: tuple[str, str], new_name: str, until: contextlib.ExitStack
) -> Startable:
    """Return the stopped array of this UUID and name, held until ``until`` closes, to come up as ``new_name``.

    Raises what ``start.prepare`` does; InputError for a name that is none, DiskRefused if it isn't whole, is within a
    reshape with which mdadm goes on as it starts it, has metadata 0.90, or another array of the machine has the name.
    """
    verify_new_name(new_name)
    held = await start.prepare(host, claims, array_of, until, read_only=False, missing=False)
    _verify_whole(held.assembly)
    home = hostname(host)
    if not is_host_name(home):
        raise DiskRefused("This computer's name ({name}) is none that mdadm takes.", code="hostname", name=home)
    for uuid, name in _others(host, held.assembly.uuid):
        if name == new_name:
            raise DiskRefused(
                "Another array of this computer is called “{name}” ({uuid}); give this one another name.",
                code="array-name-taken",
                name=new_name,
                uuid=uuid,
            )
    return replace(held, called=new_name, update=("--update=name", f"--name={new_name}", f"--homehost={home}"))


def verify_new_name(name: str) -> None:
    """Raise InputError unless an array may be called so."""
    if not is_array_name(name) or is_scratch_name(name) or name.startswith("-"):
        raise InputError(
            "An array's name has up to 32 letters, digits, “-” and “_”, begins with no “-”, and is no scratch array's.",
            code="array-name",
        )


def _verify_whole(assembly: Assembly) -> None:
    label = array_label(assembly.label, assembly.uuid)
    late = [
        name
        for name, state in assembly.members
        if state in (MemberState.BEHIND, MemberState.PARTED, MemberState.REBUILDING)
    ]
    if assembly.missing or late:
        raise DiskRefused(
            "{array} isn't whole: {here} of its {slots} members are here and agree. The others would keep the old "
            "name; make it whole first.",
            code="array-not-whole",
            array=label,
            here=assembly.here,
            slots=assembly.slots,
        )
    if assembly.reshapes and not waits_at_start(
        assembly.level, assembly.geometry.features
    ):  # else the name is written, and md still waits
        raise DiskRefused(
            "{array} is changing its shape. Start it, wait until that has ended, and stop it.",
            code="array-reshapes",
            array=label,
        )
    if assembly.metadata == Metadata.V0_90:
        raise DiskRefused(
            "{array} has metadata 0.90, which has no name and no home host. Start it, and add its line to mdadm.conf.",
            code="array-nameless",
            array=label,
        )


def _others(host: Host, own: str) -> Iterator[tuple[str, str]]:
    """Yield UUID and name of every other array: running, or known by a member's superblock."""
    for number in host.arrays():
        uuid = uuid_of(host, number)
        if uuid != own:
            yield uuid, name_of(host.udev(number).properties.get("MD_NAME", ""), uuid)
    for number in host.udev_blocks():
        properties = host.udev(number).properties
        uuid = array_uuid(properties.get("ID_FS_UUID", ""))
        if properties.get("ID_FS_TYPE") == MEMBER_SIGNATURE and uuid != own:
            yield uuid, name_of(properties.get("ID_FS_LABEL", ""), uuid)


async def take_over(host: Host, held: Startable, log: list[str]) -> md.RunningArray:
    """Start the array under its new name; raises what ``start.start`` does, JobFailed if the name didn't take."""
    array = await start.start(host, held, log)
    if array.name != held.called:
        raise JobFailed(
            "{array} runs, but its superblocks kept the name “{name}”.",
            code="array-name-kept",
            array=held.label,
            name=array.name,
        )
    return array
