"""SMART data, by smartctl, which runs as a unit of its own: it needs privileges that the sandbox denies.

JSON as smartctl(8) writes it (``--json``); attributes of ATA disks: 5 reallocated, 197 pending, 198 uncorrectable.
Their raw values are vendor-specific; the string beside one is smartctl's interpretation (drivedb.h): the count first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.model.disk import CELSIUS, MAX_POWER_ON_HOURS
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import DiskHealth

from .host import Host
from .looking import pinned_to_look
from .outside import unit_argv
from .power import PowerStates
from .runner import run

SMARTCTL = "/usr/sbin/smartctl"
SECONDS = 30.0
_ANY_CODE = range(256)  # a bit mask of findings, most of which aren't errors (smartctl(8), EXIT STATUS)
_STANDBY_EXIT = 255  # exit code of ``-n standby``: no set of findings has all of these bits
_REALLOCATED, _UNREADABLE = 5, (197, 198)
_COUNT = re.compile(r"0x[0-9a-f]+|\d+", re.IGNORECASE)
_MAX_SECTORS = 2**31 - 2  # beyond, it is -1 in 32 or 64 bits, which some firmwares write
# Older versions have the list's length in bytes, 8 per entry (smartctl_exporter's issue 118, scrutiny's issue 675).
_COUNTS_DEFECTS_SINCE = (7, 3)
_DEFECT_BYTES = 8


def smartctl(*words: str) -> tuple[str, ...]:
    """Return the command that runs smartctl with ``words``; raises JobFailed if it isn't installed."""
    if not Path(SMARTCTL).exists():
        raise JobFailed("Disks are asked with smartctl; install smartmontools.", code="command-missing")
    return unit_argv((SMARTCTL, *words), capabilities="CAP_SYS_RAWIO CAP_SYS_ADMIN")


def answer_of(output: str) -> Mapping[str, Any]:
    """Parse smartctl's JSON; raises JobFailed if it isn't valid."""
    try:
        answer = json.loads(output)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise JobFailed("smartctl gave no answer that can be read.", code="smart-output")
    return answer


def error_recovery_of(answer: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the SCT ERC limits for reading and writing, in tenths of a second, 0 if disabled; None: unsupported."""
    limits = answer.get("ata_sct_erc")
    if not limits:
        return None
    read_limit, write_limit = (int(limits.get(key, {}).get("deciseconds", 0)) for key in ("read", "write"))
    return read_limit, write_limit


async def examine_health(host: Host, power: PowerStates, ids: Sequence[str], *, wake: bool) -> Mapping[str, DiskHealth]:
    """Return each disk's SMART data; absent values are left out.

    Raises DiskRefused for anything but a disk, and for a disk in standby (``Code.ASLEEP``) unless ``wake``; JobFailed
    without smartctl.
    """
    return {one: await _health_of(host, power, one, wake=wake) for one in ids}


async def _health_of(host: Host, power: PowerStates, disk_id: str, *, wake: bool) -> DiskHealth:
    async with pinned_to_look(host, power, disk_id, wake=wake) as device:
        if not host.is_disk(device.number):
            raise DiskRefused("{disk} is not a whole disk of hardware.", code="disk-kind", disk=disk_id)
        asleep = () if wake else ("-n", f"standby,{_STANDBY_EXIT}")  # it may have entered standby since
        argv = smartctl("--json", *asleep, "-H", "-A", "-l", "scterc", device.node)
        finished = await run(argv, limit_s=SECONDS, accept=_ANY_CODE)
    if not wake and finished.code == _STANDBY_EXIT:
        raise DiskRefused("{disk} has just fallen asleep.", code=Code.ASLEEP, disk=disk_id)
    return health_of(answer_of(finished.output))


def health_of(answer: Mapping[str, Any]) -> DiskHealth:
    """Return the health in smartctl's answer; error recovery limits only for ATA disks, which alone have them."""
    passed = answer.get("smart_status", {}).get("passed")
    current = answer.get("temperature", {}).get("current")  # SCSI disks without a sensor report 0
    hours = _whole(answer.get("power_on_time", {}).get("hours"))
    is_ata = answer.get("device", {}).get("protocol") == "ATA"
    limits = error_recovery_of(answer) if is_ata else None
    return DiskHealth(
        failing=None if passed is None else not passed,
        temperature_celsius=int(current) if current and int(current) in CELSIUS else None,
        power_on_hours=hours if hours is not None and hours <= MAX_POWER_ON_HOURS else None,
        bad_sectors=_bad_sectors(answer),
        wear_percent=_wear_percent(answer),
        has_error_recovery=limits is not None if is_ata else None,
        error_recovery_read_ds=limits[0] if limits else None,
        error_recovery_write_ds=limits[1] if limits else None,
    )


def _bad_sectors(answer: Mapping[str, Any]) -> int | None:
    """Return the protocol's own count of lost sectors; None if the disk keeps none."""
    if "ata_smart_attributes" in answer:
        return _lost_by_attributes(answer["ata_smart_attributes"].get("table", ()))
    if "nvme_smart_health_information_log" in answer:
        return _whole(answer["nvme_smart_health_information_log"].get("media_errors"))
    grown = _whole(answer.get("scsi_grown_defect_list"))
    version = tuple(answer.get("smartctl", {}).get("version") or _COUNTS_DEFECTS_SINCE)
    return grown // _DEFECT_BYTES if grown is not None and version < _COUNTS_DEFECTS_SINCE else grown


def _lost_by_attributes(rows: Sequence[Mapping[str, Any]]) -> int | None:
    """Return reallocated plus unreadable sectors: most disks count the latter twice, as 197 and as 198."""
    counts = {row["id"]: count for row in rows if (count := _count_of(row.get("raw", {}))) is not None}
    told = [counts[one] for one in (_REALLOCATED, *_UNREADABLE) if one in counts]
    unreadable = max((counts.get(one, 0) for one in _UNREADABLE), default=0)
    return counts.get(_REALLOCATED, 0) + unreadable if told else None


def _count_of(raw: Mapping[str, Any]) -> int | None:
    found = _COUNT.match(str(raw.get("string", raw.get("value", ""))).strip())
    count = int(found[0], 16 if found[0][:2].lower() == "0x" else 10) if found else None
    return count if count is not None and count <= _MAX_SECTORS else None


def _wear_percent(answer: Mapping[str, Any]) -> int | None:
    """Return the share of the flash's rated writes used, beyond 100 too (NVMe's "Percentage Used", ATA's, SCSI's)."""
    for told in (
        answer.get("nvme_smart_health_information_log", {}).get("percentage_used"),
        answer.get("endurance_used", {}).get("current_percent"),
        answer.get("scsi_percentage_used_endurance_indicator"),
    ):
        if (found := _whole(told)) is not None:
            return found
    return None


def _whole(told: Any) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and told >= 0 else None
