"""SMART data, by smartctl, which runs as a unit of its own: it needs privileges that the sandbox denies.

JSON as smartctl(8) writes it (``--json``); ``smart_attributes`` reads the table of an ATA disk's attributes.
Sources of the warnings: the NVMe base specification, Critical Warning; SPC, additional sense codes 0Bh.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.model.disk import CELSIUS, MAX_POWER_ON_HOURS, HealthSign
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import DiskHealth

from .host import Host
from .looking import pinned_to_look
from .outside import unit_argv
from .power import PowerStates
from .runner import run
from .smart_attributes import attributes_of

SMARTCTL = "/usr/sbin/smartctl"
SECONDS = 30.0
_ANY_CODE = range(256)  # a bit mask of findings, most of which aren't errors (smartctl(8), EXIT STATUS)
_STANDBY_EXIT = 255  # exit code of ``-n standby``: no set of findings has all of these bits
_WORN_PERCENT = 100
_WARNING_BITS = (  # of NVMe's Critical Warning, the lowest first
    HealthSign.SPARE, HealthSign.TEMPERATURE, HealthSign.RELIABILITY, HealthSign.READ_ONLY, HealthSign.BACKUP,
    HealthSign.PERSISTENT_MEMORY,
)  # fmt: skip
_SCSI_WARNING, _SCSI_TOO_WARM = 0x0B, 0x01
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
        argv = smartctl("--json", *asleep, "-i", "-H", "-A", "-l", "scterc", "-l", "error", device.node)
        finished = await run(argv, limit_s=SECONDS, accept=_ANY_CODE)
    if not wake and finished.code == _STANDBY_EXIT:
        raise DiskRefused("{disk} has just fallen asleep.", code=Code.ASLEEP, disk=disk_id)
    return health_of(answer_of(finished.output))


def health_of(answer: Mapping[str, Any]) -> DiskHealth:
    """Return the health in smartctl's answer; error recovery limits only for ATA disks that turn."""
    current = answer.get("temperature", {}).get("current")  # SCSI disks without a sensor report 0
    hours = _whole(answer.get("power_on_time", {}).get("hours"))
    attributes, signs, wear_percent = attributes_of(answer), signs_of(answer), _wear_percent(answer)
    protocol = answer.get("device", {}).get("protocol")
    is_asked = protocol == "ATA" and not attributes.is_flash
    limits = error_recovery_of(answer) if is_asked else None
    return DiskHealth(
        failing=_is_failing(answer, signs, wear_percent),
        temperature_celsius=int(current) if current and int(current) in CELSIUS else None,
        power_on_hours=hours if hours is not None and hours <= MAX_POWER_ON_HOURS else None,
        bad_sectors=_bad_sectors(answer),
        wear_percent=wear_percent,
        has_error_recovery=limits is not None if is_asked else None,
        error_recovery_read_ds=limits[0] if limits else None,
        error_recovery_write_ds=limits[1] if limits else None,
        retired_blocks=attributes.retired_blocks,
        unread_errors=attributes.unread_errors if protocol == "ATA" else _uncorrected(answer),
        signs=signs,
        low_now=attributes.low_now,
        low_once=attributes.low_once,
        low_usage=attributes.low_usage,
    )


def _is_failing(answer: Mapping[str, Any], signs: Sequence[HealthSign], wear_percent: int | None) -> bool | None:
    """Return the disk's own judgement, without warnings of temperature, or of reliability where flash is worn."""
    passed = answer.get("smart_status", {}).get("passed")
    if passed is not False:
        return None if passed is None else False
    is_worn = (wear_percent or 0) >= _WORN_PERCENT
    harmless = {HealthSign.TEMPERATURE, *([HealthSign.RELIABILITY] if is_worn else [])}
    return not signs or not harmless.issuperset(signs)


def signs_of(answer: Mapping[str, Any]) -> tuple[HealthSign, ...]:
    """Return the disk's own warnings, by the bits and codes that smartctl prints."""
    log, status = answer.get("nvme_smart_health_information_log", {}), answer.get("smart_status", {})
    bits = _whole(log.get("critical_warning"))
    bits = _whole(status.get("nvme", {}).get("value")) if bits is None else bits
    scsi = status.get("scsi", {})
    found = [sign for place, sign in enumerate(_WARNING_BITS) if (bits or 0) >> place & 1]
    if scsi.get("asc") == _SCSI_WARNING and scsi.get("ascq") == _SCSI_TOO_WARM:
        found.append(HealthSign.TEMPERATURE)
    if attributes_of(answer).is_off_temperature:
        found.append(HealthSign.TEMPERATURE)
    return tuple(found)


def _uncorrected(answer: Mapping[str, Any]) -> int | None:
    """Return the errors that a SCSI disk couldn't correct, of all its counters; None if it keeps none."""
    counters = answer.get("scsi_error_counter_log", {}).values()
    told = [_whole(one.get("total_uncorrected_errors")) for one in counters if isinstance(one, Mapping)]
    counts = [count for count in told if count is not None]
    return sum(counts) if counts else None


def _bad_sectors(answer: Mapping[str, Any]) -> int | None:
    """Return the protocol's own count of lost sectors; None if the disk keeps none."""
    if "ata_smart_attributes" in answer:
        return attributes_of(answer).lost_sectors
    if "nvme_smart_health_information_log" in answer:
        return _whole(answer["nvme_smart_health_information_log"].get("media_errors"))
    grown = _whole(answer.get("scsi_grown_defect_list"))
    version = tuple(answer.get("smartctl", {}).get("version") or _COUNTS_DEFECTS_SINCE)
    return grown // _DEFECT_BYTES if grown is not None and version < _COUNTS_DEFECTS_SINCE else grown


def _wear_percent(answer: Mapping[str, Any]) -> int | None:
    """Return the share of the flash's rated writes used, beyond 100 too (NVMe's "Percentage Used", ATA's, SCSI's).

    smartctl before 7.5 has ATA's in the disk's attributes alone.
    """
    for told in (
        answer.get("nvme_smart_health_information_log", {}).get("percentage_used"),
        answer.get("endurance_used", {}).get("current_percent"),
        answer.get("scsi_percentage_used_endurance_indicator"),
        attributes_of(answer).wear_percent,
    ):
        if (found := _whole(told)) is not None:
            return found
    return None


def _whole(told: Any) -> int | None:
    return told if isinstance(told, int) and not isinstance(told, bool) and told >= 0 else None
