"""Requests about disks: signatures and health."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raidwright.core.model.disk import Health, HealthSign
from raidwright.core.protocol import looking
from raidwright.core.protocol.facts import DiskHealth, DiskSignature, SignatureNames

from .operation import Request


@dataclass(frozen=True, slots=True)
class ExamineSignatures(Request[Mapping[str, tuple[DiskSignature, ...]]]):
    """Examine the signatures on disks (by-id names). DiskRefused, ``Code.ASLEEP``, in standby unless ``wake``."""

    verb = looking.EXAMINE_SIGNATURES
    ids: tuple[str, ...]
    wake: bool = False


@dataclass(frozen=True, slots=True)
class ExamineHealth(Request[Mapping[str, DiskHealth]]):
    """Read disks' SMART data. Raises DiskRefused with ``Code.ASLEEP`` for a disk in standby unless ``wake``."""

    verb = looking.EXAMINE_HEALTH
    ids: tuple[str, ...]
    wake: bool = False


def all_of(carried: Mapping[str, tuple[DiskSignature, ...]]) -> SignatureNames:
    """Return all signatures by disk, as names; disks without any are left out."""
    return {disk: tuple(sorted({one.name for one in found})) for disk, found in carried.items() if found}


def as_health(told: DiskHealth) -> Health:
    """Convert a disk's SMART data to the units shown."""
    read, write = (
        None if limit is None else limit / 10 for limit in (told.error_recovery_read_ds, told.error_recovery_write_ds)
    )
    return Health(
        failing=told.failing,
        temperature_celsius=told.temperature_celsius,
        power_on_hours=told.power_on_hours,
        bad_sectors=told.bad_sectors,
        wear_percent=told.wear_percent,
        has_error_recovery=told.has_error_recovery,
        error_recovery_read_s=read,
        error_recovery_write_s=write,
        retired_blocks=told.retired_blocks,
        unread_errors=told.unread_errors,
        signs=tuple(map(HealthSign, (sign for sign in told.signs if sign in set(HealthSign)))),
        low_now=told.low_now,
        low_once=told.low_once,
        low_usage=told.low_usage,
    )
