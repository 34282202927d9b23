"""A disk's health in words: what SMART says of it, each with its reason."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.analysis.findings.of_health import SIGNS
from raidwright.core.model.disk import Disk, Health, HealthSign
from raidwright.text.catalogue import ntr, tr, translated

_WORN = 100
_COLD_CELSIUS = 20.0  # a disk that is outside its limits, and below this, is too cold


def warnings(health: Health) -> Iterator[str]:
    """Yield what the disk warns of: its own signs, and attributes below their thresholds."""
    for sign in health.signs:
        yield _too_warm(health) if sign is HealthSign.TEMPERATURE else translated(SIGNS[sign])
    for name in (*health.low_now, *health.low_usage):
        yield tr("{attribute} below its threshold", attribute=name)
    for name in health.low_once:
        yield tr("{attribute} once below its threshold", attribute=name)


def is_good(health: Health) -> bool:
    """Return True if SMART passes, and the disk has neither warned nor counted anything that speaks against it."""
    odd = (health.signs, health.low_now, health.low_once, health.low_usage, health.bad_sectors, health.unread_errors)
    return health.failing is False and not any(odd) and (health.wear_percent or 0) < _WORN


def _too_warm(health: Health) -> str:
    celsius = health.temperature_celsius
    if celsius is None:
        return translated(SIGNS[HealthSign.TEMPERATURE])
    return tr("too cold") if celsius < _COLD_CELSIUS else tr("too warm")


def counts(health: Health) -> Iterator[str]:
    """Yield what the disk has counted: bad sectors, errors it didn't correct, retired flash, and wear."""
    if health.bad_sectors:
        yield ntr("{count} bad sector", "{count} bad sectors", health.bad_sectors)
    if health.unread_errors:
        yield ntr("{count} uncorrected error", "{count} uncorrected errors", health.unread_errors)
    if health.retired_blocks:
        yield ntr("{count} retired flash block", "{count} retired flash blocks", health.retired_blocks)
    if health.wear_percent is not None:
        yield tr("{percent}% worn", percent=health.wear_percent)


def error_recovery(disk: Disk) -> Iterator[str]:
    """Yield how long a disk that turns tries to read a bad sector; flash doesn't try again for minutes."""
    health = disk.health
    if disk.rotation_rpm == 0 or health.has_error_recovery is None:
        return
    if health.has_error_recovery and health.error_recovery_read_s:
        yield tr("gives a bad sector up after {limit:g} s", limit=health.error_recovery_read_s)
    else:
        yield tr("retries a bad sector for minutes")
