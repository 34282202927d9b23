"""LVM's programs, and the volumes that join arrays.

The programs run as units of their own (``outside``): they need device-mapper's control device, and keep copies of their
metadata in /etc/lvm. Of this computer's groups only those on a build's own arrays are changed, by their UUIDs;
``lvm_groups`` switches those on an array that is stopped or started.

Sources: lvm(8), vgremove(8); lvm2 ``lib/device/dev-type.c``; libdm ``dm_build_dm_name`` (a hyphen in a name is doubled
in the device's).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.lvm.joined import VOLUME
from raidwright.core.md.mdadm import inner_name

from .host import Host
from .outside import run_outside
from .seen import array_label, label_of_array, name_of, seen_array

SFDISK = "/usr/sbin/sfdisk"
SIGNATURE = "LVM2_member"
_FOLDER = "/usr/sbin"
_PACKAGES = {SFDISK: "fdisk", f"{_FOLDER}/lvm": "lvm2"}
_CAPABILITIES = "CAP_SYS_ADMIN CAP_MKNOD CAP_IPC_LOCK CAP_SYS_NICE CAP_DAC_OVERRIDE"
_MAY_WRITE = "ReadWritePaths=/etc/lvm /run"
_UUID = re.compile(r"[A-Za-z0-9-]{38}")


async def run_lvm(argv: Sequence[str], log: list[str]) -> str:
    """Run one of LVM's programs, by its name; return its output. Raises JobFailed."""
    return await run_outside((f"{_FOLDER}/{argv[0]}", *argv[1:]), _CAPABILITIES, log, _MAY_WRITE)


async def verify_may_join(host: Host, name: str) -> None:
    """Raise JobFailed if a program that a joined volume needs is missing, InputError if its name is taken."""
    for program, package in _PACKAGES.items():
        if not Path(host.root / program.lstrip("/")).exists():
            raise JobFailed(
                "A joined volume needs {program}; install the package {package}.",
                code="command-missing",
                program=program,
                package=package,
            )
    groups = (await run_lvm(("vgs", "--noheadings", "--options=vg_name"), [])).split()
    if name in groups or Path(host.root / "dev" / name).exists():
        raise InputError(
            "There is something called /dev/{name} already; choose another name.", code="name-taken", name=name
        )


def arrays_below(host: Host, disks: Collection[int]) -> tuple[int, ...]:
    """Return the md arrays on ``disks`` and their partitions, without what is on these arrays."""
    parts = (part for disk in disks for part in (disk, *host.partitions(disk)))
    found = (holder for part in parts for holder in host.holders(part))
    return tuple({number for number in found if (host.block_dir(number) / "md").exists()})


def lowest_below(host: Host, volume: int) -> int | None:
    """Return the first array of a joined volume, by its name; None for any other device."""
    if not host.attribute(volume, "dm/uuid").startswith("LVM-"):
        return None
    names = {name_of(host.udev(number).properties.get("MD_NAME", ""), ""): number for number in host.slaves(volume)}
    group = host.attribute(volume, "dm/name").removesuffix(f"-{VOLUME}").replace("--", "-")
    return names.get(inner_name(group, 0))


def volume_on(host: Host, name: str, arrays: Collection[int]) -> int | None:
    """Return the active volume of the joined volume ``name`` on some of ``arrays``, which are all that it is on."""
    volumes = (volume_over(host, name, array) for array in arrays)
    return next((found for found in volumes if found is not None and set(host.slaves(found)) <= set(arrays)), None)


def volume_over(host: Host, name: str, array: int) -> int | None:
    """Return the active volume of the joined volume ``name`` that is on ``array`` among others."""
    wanted = f"{name.replace('-', '--')}-{VOLUME}"
    for number in host.holders(array):
        if host.attribute(number, "dm/uuid").startswith("LVM-") and host.attribute(number, "dm/name") == wanted:
            return number
    return None


def joined_over(host: Host, array: int) -> tuple[int, str] | None:
    """Return the active joined volume that ``array`` is an array of, and its name; None if it is of none."""
    name, _, slot = name_of(host.udev(array).properties.get("MD_NAME", ""), "").rpartition("-")
    volume = volume_over(host, name, array) if name and slot.isdecimal() else None
    return None if volume is None else (volume, name)


def label_meant(host: Host, uuid: str, name: str) -> str:
    """Return the prompt's label of the array of ``uuid``, or of the joined volume ``name`` over it."""
    seen = seen_array(host, uuid)
    joined = joined_over(host, seen.number) if seen else None
    if joined is not None and joined[1] == name:
        return array_label(joined[1], uuid)
    return label_of_array(host, uuid)


async def groups_on(host: Host, arrays: Collection[int], log: list[str]) -> Mapping[str, Collection[int]]:
    """Return the groups with a physical volume on one of ``arrays``, by UUID, with all devices that they are on.

    Raises JobFailed.
    """
    found: dict[str, set[int]] = {}
    for line in (await run_lvm(("pvs", "--noheadings", "--options=vg_uuid,pv_name"), log)).splitlines():
        uuid, _, device = line.strip().partition(" ")
        if _UUID.fullmatch(uuid) and (number := host.number_of(device.strip())) is not None:
            found.setdefault(uuid, set()).add(number)
    return {uuid: devices for uuid, devices in found.items() if not devices.isdisjoint(arrays)}


async def remove_groups(host: Host, name: str, arrays: Collection[int], log: list[str]) -> None:
    """Remove the groups on ``arrays``, with their volumes; raises DiskRefused if one is on other devices, too.

    What LVM can't remove since a disk fails is left; its device is removed all the same, so that the arrays can stop.
    """
    for uuid, devices in (await groups_on(host, arrays, log)).items():
        if not set(devices) <= set(arrays):
            raise DiskRefused(
                "The group of the volume “{name}” is on other devices by now; nothing was taken back.",
                code="other-array",
                name=name,
            )
        try:
            await run_lvm(("vgremove", "--force", "--yes", "--select", f"vg_uuid={uuid}"), log)
        except JobFailed as error:
            log.append(f"# {error.sentence}")
    await remove_device(host, name, arrays, log)


async def remove_device(host: Host, name: str, arrays: Collection[int], log: list[str]) -> None:
    """Remove the active volume from device-mapper, if there is one; what is on the disks stays. Raises JobFailed."""
    if (volume := volume_on(host, name, arrays)) is not None:
        called = host.attribute(volume, "dm/name")
        await run_lvm(("dmsetup", "remove", "--retry", called), log)
