"""Tune: settings of an array and its disks, written, read back, and kept across boots by a udev rules file.

If the kernel refuses a value, the earlier ones are restored. (A limit that a disk itself has accepted stays: it does no
harm alone.)
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.model.plan import Member
from raidwright.core.protocol.results import ArraySettings
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.tuning import (
    ARRAY_ATTRIBUTES,
    DISK_ATTRIBUTES,
    LONG_TIMEOUT_S,
    TIMEOUT_ATTRIBUTE,
    Lasting,
    TunedDisk,
    Tuning,
    kept_tuning,
    udev_rules,
)

from raidwright_helper.host.arrays import PinnedArray, pin_filled, verify_name
from raidwright_helper.host.disk_settings import DiskSetting, error_recovery, settings_now, value_of
from raidwright_helper.host.etc_files import EtcFiles, FileOrder
from raidwright_helper.host.host import Host
from raidwright_helper.host.md import UDEVADM, checked_uuid
from raidwright_helper.host.runner import run
from raidwright_helper.host.seen import seen_array
from raidwright_helper.host.smart import SECONDS as SMART_SECONDS
from raidwright_helper.host.smart import smartctl
from raidwright_helper.host.system_files import DEFAULT_MODE, read
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job

_UDEV_SECONDS = 15.0
_PLAIN = re.compile(r"[A-Za-z0-9_.:+=-]+")  # safe in a rule: read as no more than a name
_LINKS = ("wwn-", "nvme-eui.", "ata-", "nvme-", "scsi-")  # the most stable names first


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """Request of Tune."""

    array_uuid: str
    array_name: str
    tuning: Tuning
    lasting: Lasting


@dataclass(frozen=True, slots=True)
class Tunable:
    """An array and its disks, by device number, and the settings to apply."""

    pinned: PinnedArray
    disks: tuple[int, ...]
    tuning: Tuning
    lasting: Lasting


async def prepare(host: Host, claims: Claims, request: TuneRequest, until: contextlib.ExitStack) -> Tunable:
    """Return the array, held until ``until`` closes. Raises InputError for settings it lacks, DiskRefused, Busy."""
    found = await pin_filled(host, claims, request.array_uuid, request.array_name, until)
    wanted = _with_kept(_kept(host, request.array_uuid), request)
    folder = host.block_dir(found.device.number)
    for name in wanted.of_array():
        if not (folder / ARRAY_ATTRIBUTES[name]).exists():
            raise InputError("An array of this level has no {name}; leave that out.", code="tuning", name=name)
    disks = tuple(sorted(host.leaves(found.device.number)))
    for disk in disks if request.lasting is Lasting.ALWAYS else ():
        if not _steadiest_name(host, disk):
            raise InputError(
                "{disk} has no name that stays the same at the next boot; leave “always” out.",
                code="disk-name",
                disk=host.kernel_name(disk),
            )
    return Tunable(found, disks, wanted, request.lasting)


async def disk_settings(host: Host, target: Tunable, members: Sequence[Member]) -> tuple[DiskSetting, ...]:
    """Return the present settings that ``target`` will change on a scratch array's ``members``; raises JobFailed."""
    numbers = {member.id: host.number_of(f"/dev/disk/by-id/{member.id}") for member in members}
    disks = {name: host.whole(number) for name, number in numbers.items() if number is not None}
    tuning = target.tuning
    return await settings_now(host, disks, tuple(tuning.of_disks()), with_recovery=tuning.error_recovery_s is not None)


def _with_kept(rules: str, request: TuneRequest) -> Tuning:
    """Return the settings to apply, merged with those of ``rules`` if they must persist as well."""
    if request.lasting is Lasting.FORGET:
        return request.tuning
    kept, wanted = kept_tuning(rules), request.tuning
    if request.lasting is Lasting.ALWAYS:
        return wanted.over(kept)
    if any(kept.values().get(name, value) != value for name, value in wanted.values().items()):
        raise InputError(
            "A rule of this array's would set it back. Say that this holds at each boot, or have the rule removed.",
            code="tuning-kept",
        )
    return wanted


def rule_file(uuid: str) -> str:
    """Return the path of an array's udev rules file."""
    return f"/etc/udev/rules.d/90-raidwright-{uuid.replace(':', '-')}.rules"


def _kept(host: Host, uuid: str) -> str:
    return read(host.root / rule_file(uuid).lstrip("/")).content


async def tune(host: Host, etc: EtcFiles, target: Tunable, job: Job) -> ArraySettings:
    """Apply the settings; return the present ones. Raises JobFailed, with everything as it was before."""
    job.progress(JobStep.TUNE, 0.1)
    tuning, number, log = target.tuning, target.pinned.device.number, job.record.commands
    rules = rule_file(target.pinned.array.uuid)
    wanted = [(number, ARRAY_ATTRIBUTES[name], str(value)) for name, value in tuning.of_array().items()]
    wanted += [(disk, *setting) for disk in target.disks for setting in tuning.of_disks().items()]
    with contextlib.ExitStack() as way_back:
        for device, attribute, value in wanted:
            _set(host, device, attribute, value, way_back, log)
        disks = [await _recover(host, disk, tuning.error_recovery_s, way_back, log) for disk in target.disks]
        if target.lasting is Lasting.ALWAYS:
            await etc.put(FileOrder(rules, udev_rules(target.pinned.array.uuid, tuning, disks), DEFAULT_MODE))
        elif target.lasting is Lasting.FORGET:
            await etc.put(FileOrder(rules, None, DEFAULT_MODE))
        way_back.pop_all()  # everything is set as requested
    if target.lasting is not Lasting.NOW:
        log.append((await run((UDEVADM, "control", "--reload"), limit_s=_UDEV_SECONDS)).command)
    return _describe(host, number, target.pinned.array.uuid, job.record.log)


def settings_of(host: Host, uuid: str, name: str) -> ArraySettings:
    """Return the array's present settings, in the form of ``Tune``.

    Read from sysfs alone, with nothing opened or claimed: an unprivileged reader must not be able to keep an
    administrator from the array. Raises InputError, DiskRefused.
    """
    array = seen_array(host, checked_uuid(uuid))
    if array is None:
        raise DiskRefused("The array {uuid} doesn't run; assemble it first.", code="disk-missing", uuid=uuid)
    verify_name(array.name, name)
    return _describe(host, array.number, uuid, ())


def _describe(host: Host, number: int, uuid: str, log: tuple[str, ...]) -> ArraySettings:
    kept = _kept(host, uuid).split("\n")
    settings = {name: value_of(host, number, attribute) for name, attribute in ARRAY_ATTRIBUTES.items()}
    return ArraySettings(
        settings={name: value for name, value in settings.items() if value},
        disks=tuple(_disk_line(host, disk) for disk in sorted(host.leaves(number))),
        kept=tuple(line for line in kept if line and not line.startswith("#")),
        log=log,
        uuid=uuid,
    )


def _disk_line(host: Host, disk: int) -> str:
    facts = {**DISK_ATTRIBUTES, "timeout_s": TIMEOUT_ATTRIBUTE}
    values = {name: value_of(host, disk, attribute) for name, attribute in facts.items()}
    return " ".join((host.kernel_name(disk), *(f"{name}={value}" for name, value in values.items() if value)))


def _set(host: Host, number: int, attribute: str, value: str, way_back: contextlib.ExitStack, log: list[str]) -> None:
    path, before = host.block_dir(number) / attribute, value_of(host, number, attribute)
    restored = "system" if "(system)" in host.attribute(number, attribute) else before
    where = f"{host.kernel_name(number)}/{attribute}"
    way_back.callback(_put_back, path, restored)
    try:
        path.write_text(value, encoding="ascii")
    except OSError as error:
        raise JobFailed(
            "The kernel doesn't take {value} for {where}: {why}. Nothing is changed.",
            code="tuning",
            value=value,
            where=where,
            why=error.strerror,
        ) from error
    if (now := value_of(host, number, attribute)) != value:
        raise JobFailed(
            "{where} is “{now}”, not “{value}”, after it was set. Nothing is changed.",
            code="tuning",
            where=where,
            now=now,
            value=value,
        )
    log.append(f"echo {value} > {path}  # was {before}")


def _put_back(path: Path, value: str) -> None:
    with contextlib.suppress(OSError):  # an unplugged disk has no settings left
        path.write_text(value, encoding="ascii")


async def _recover(
    host: Host, disk: int, seconds: int | None, way_back: contextlib.ExitStack, log: list[str]
) -> TunedDisk:
    """Make the disk give up a bad sector before the kernel gives up the disk: by SCT ERC or the kernel's timeout."""
    name = _steadiest_name(host, disk)
    if seconds is None:
        return TunedDisk(name)
    node, tenths = host.node(disk), seconds * 10
    if await error_recovery(node) is None:
        if not host.attribute(disk, TIMEOUT_ATTRIBUTE):  # NVMe has neither, and its own timeout
            return TunedDisk(name)
        _set(host, disk, TIMEOUT_ATTRIBUTE, str(LONG_TIMEOUT_S), way_back, log)
        return TunedDisk(name, has_erc=False)
    argv = smartctl("-l", f"scterc,{tenths},{tenths}", node)
    log.append((await run(argv, limit_s=SMART_SECONDS)).command)
    if await error_recovery(node) != (tenths, tenths):
        raise JobFailed("{disk} doesn't keep the limit that it was given.", code="tuning", disk=host.kernel_name(disk))
    return TunedDisk(name, has_erc=True)


def _steadiest_name(host: Host, disk: int) -> str:
    """Return the most stable by-id name for the udev rule; "" if the disk has none."""
    names: Sequence[str] = sorted(
        link.removeprefix("disk/by-id/") for link in host.udev(disk).links if link.startswith("disk/by-id/")
    )
    return next((name for kind in _LINKS for name in names if name.startswith(kind) and _PLAIN.fullmatch(name)), "")
