"""Tunable settings of a running array, their limits, and the udev rules that apply them at each boot.

Standard library only: the helper, which runs as root, imports this. Sources: the kernel's
``Documentation/admin-guide/md.rst`` (stripe_cache_size, group_thread_cnt, sync_speed_min) and
``Documentation/ABI/stable/sysfs-block`` (read_ahead_kb, scheduler), ``smartctl(8)`` (scterc), ``udev(7)``.
mdadm's own rule 63-md-raid-arrays gives MD_UUID.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.md.layouts import Level

_KEPT = "# settings: "
LONG_TIMEOUT_S = 180  # longer than any known desktop disk retries
_RANGES = {
    "read_ahead_kib": (0, 2**20),
    "member_read_ahead_kib": (0, 2**20),
    "stripe_cache_size": (17, 32768),  # raid5.c: raid5_set_cache_size
    "group_thread_cnt": (0, 64),
    "sync_speed_min_kib": (1, 10**8),
    "sync_speed_max_kib": (1, 10**8),
    "error_recovery_s": (1, 25),  # the kernel's own timeout is 30 s
}
# The array's attributes in sysfs.
ARRAY_ATTRIBUTES: Mapping[str, str] = {
    "read_ahead_kib": "queue/read_ahead_kb",
    "stripe_cache_size": "md/stripe_cache_size",
    "group_thread_cnt": "md/group_thread_cnt",
    "sync_speed_min_kib": "md/sync_speed_min",
    "sync_speed_max_kib": "md/sync_speed_max",
}
SCHEDULER_ATTRIBUTE = "queue/scheduler"
# Each member disk's attributes.
DISK_ATTRIBUTES: Mapping[str, str] = {
    "scheduler": SCHEDULER_ATTRIBUTE,
    "member_read_ahead_kib": ARRAY_ATTRIBUTES["read_ahead_kib"],
}
TIMEOUT_ATTRIBUTE = "device/timeout"


class Scheduler(StrEnum):
    """I/O schedulers of a member."""

    NONE = "none"
    MQ_DEADLINE = "mq-deadline"
    KYBER = "kyber"
    BFQ = "bfq"


class Lasting(StrEnum):
    """Lifetime of the settings."""

    NOW = "now"  # until the array stops
    ALWAYS = "always"  # at each boot, by a udev rule
    FORGET = "forget"  # no longer at each boot: the rule is removed


@dataclass(frozen=True, slots=True)
class Tuning:
    """Settings; None leaves one unchanged. Speeds are KiB/s per member, ``stripe_cache_size`` pages per member.

    ``error_recovery_s``: limit for a bad sector's recovery by the disk, below the kernel's timeout for the disk.
    """

    read_ahead_kib: int | None = None
    member_read_ahead_kib: int | None = None
    stripe_cache_size: int | None = None
    group_thread_cnt: int | None = None
    sync_speed_min_kib: int | None = None
    sync_speed_max_kib: int | None = None
    scheduler: Scheduler | None = None
    error_recovery_s: int | None = None

    def of_array(self) -> dict[str, int]:
        """Values to write to the array's attributes, by ``ARRAY_ATTRIBUTES``' names."""
        values = {name: getattr(self, name) for name in ARRAY_ATTRIBUTES}
        return {name: value for name, value in values.items() if value is not None}

    def of_disks(self) -> dict[str, str]:
        """Values to write to each disk's attributes, by attribute."""
        values = {attribute: getattr(self, name) for name, attribute in DISK_ATTRIBUTES.items()}
        return {attribute: str(value) for attribute, value in values.items() if value is not None}

    def values(self) -> dict[str, int | str]:
        """The values that are set, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in named.items() if value is not None}

    def over(self, other: Tuning) -> Tuning:
        """Return these settings, with those of ``other`` for any not set."""
        return replace(other, **self.values())  # type: ignore[arg-type]

    def of_level(self, level: Level) -> Tuning:
        """Return what of these an array of ``level`` has: only those with parity have stripes."""
        return self if level.parity_disks else replace(self, stripe_cache_size=None, group_thread_cnt=None)

    @property
    def is_empty(self) -> bool:
        """True if nothing is set."""
        return self == Tuning()


@dataclass(frozen=True, slots=True)
class TunedDisk:
    """A member's disk by its by-id name, and whether it supports error-recovery control (None: not asked)."""

    id: str
    has_erc: bool | None = None


def read_tuning(fields: Fields) -> Tuning:
    """Read the settings among ``fields``; raises InputError for values outside their limits."""
    numbers = {name: _within(fields, name, *limits) for name, limits in _RANGES.items()}
    tuning = Tuning(**numbers, scheduler=fields.choice("scheduler", Scheduler))
    least, most = tuning.sync_speed_min_kib, tuning.sync_speed_max_kib
    if least is not None and most is not None and least > most:
        raise InputError(
            "The least speed of a synchronisation, {least} KiB/s, is above the most, {most} KiB/s.",
            code="tuning",
            least=least,
            most=most,
        )
    return tuning


def _within(fields: Fields, name: str, least: int, most: int) -> int | None:
    value = fields.take(name, int)
    if value is not None and not least <= value <= most:
        raise InputError(
            "“{name}” must be from {least} to {most}, not {value}.",
            code="tuning",
            name=name,
            least=least,
            most=most,
            value=value,
        )
    return value


def udev_rules(uuid: str, tuning: Tuning, disks: Sequence[TunedDisk]) -> str:
    """Return the text of the udev rule file for an array (``uuid`` as md writes it) and its disks.

    All inserted text is validated: the caller has checked the UUID and the disks' names.
    """
    lines = [
        f"# Settings of the array {uuid}, kept by Raidwright; “raidwright tune” changes and removes them.",
        f"{_KEPT}{json.dumps(tuning.values())}",
    ]
    array = [f'ATTR{{{ARRAY_ATTRIBUTES[key]}}}="{value}"' for key, value in tuning.of_array().items()]
    if array:
        # md has these attributes once the array runs, announced by a change event
        lines.append(_rule("add|change", 'KERNEL=="md*"', f'ENV{{MD_UUID}}=="{uuid}"', *array))
    acts = {disk.id: tuple(_acts(tuning, disk)) for disk in disks}
    lines += [
        _rule("add", 'ENV{DEVTYPE}=="disk"', f'SYMLINK=="disk/by-id/{disk}"', *what)
        for disk, what in acts.items()
        if what
    ]
    return "\n".join(lines) + "\n"


def kept_tuning(text: str) -> Tuning:
    """Return the settings that a rule file was made from, none for an empty file; InputError for a foreign one."""
    kept = [line.removeprefix(_KEPT) for line in text.splitlines() if line.startswith(_KEPT)]
    if not text:
        return Tuning()
    try:
        [line] = kept
        data = Fields(json.loads(line), "The rule file")
        tuning = read_tuning(data)
        data.finish()
    except (ValueError, InputError):
        raise InputError(
            "The array's rule file isn't as Raidwright wrote it; have it removed first (--forget).", code="rule-file"
        ) from None
    return tuning


def _rule(action: str, *words: str) -> str:
    return ", ".join((f'ACTION=="{action}"', 'SUBSYSTEM=="block"', *words))


def _acts(tuning: Tuning, disk: TunedDisk) -> Iterator[str]:
    for attribute, value in tuning.of_disks().items():
        yield f'ATTR{{{attribute}}}="{value}"'
    if tuning.error_recovery_s is not None and disk.has_erc:
        tenths = tuning.error_recovery_s * 10
        yield f'RUN+="/usr/sbin/smartctl -l scterc,{tenths},{tenths} $devnode"'
    elif tuning.error_recovery_s is not None and disk.has_erc is False:
        yield f'ATTR{{{TIMEOUT_ATTRIBUTE}}}="{LONG_TIMEOUT_S}"'
