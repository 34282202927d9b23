"""A disk, or a partition of one, as a plan names it, and what is known of its speed."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from raidwright.core.messages import say

from .assumed import ValidRange

FLAGS = ("write-mostly", "failfast")  # of members, in the order of ``Member.flags``
DISK_KINDS = ("hdd", "smr", "ssd", "nvme", "memory")  # values of ``Baseline.kind``
FLASH_KINDS = frozenset({"ssd", "nvme"})


@dataclass(frozen=True, slots=True)
class Baseline:
    """One disk's speed, measured or typical; None where unknown.

    Streams at its beginning; random access over all of it, at queue depth 1 and (``q32``) 32. ``flush_ms`` is the extra
    time of a flushed write. Members of one ``link`` share it (``Plan.links``). The shared bottleneck seen when several
    disks were measured at once, None if there was none: the throughput of ``link``, the throughput of the computer, and
    the computer's IOPS. ``power_loss_protection``: flash whose cache outlives a power cut, so that a flush is answered
    at once.
    """

    kind: str | None = None
    rpm: int | None = None
    sequential_read_mb_s: float | None = None
    sequential_write_mb_s: float | None = None
    random_read_4k_iops: float | None = None
    random_write_4k_iops: float | None = None
    random_read_4k_q32_iops: float | None = None
    random_write_4k_q32_iops: float | None = None
    random_read_64k_iops: float | None = None
    random_read_1m_iops: float | None = None
    random_write_1m_iops: float | None = None
    flush_ms: float | None = None
    power_loss_protection: bool | None = None
    link: str | None = None
    link_read_mb_s: float | None = None
    computer_read_mb_s: float | None = None
    computer_read_4k_iops: float | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A disk, or a partition of one, as the plan names it.

    ``id`` is a by-id name; ``disk`` is set for a slice, and members with the same ``disk`` fail together.
    ``afr``, an annual failure rate (0.02: 2%), and ``age_years`` are the user's figures for this disk alone.
    ``write_mostly``: md reads from it only if there is no other (raid1); ``failfast``: md fails it at the first error
    if the array survives that (raid1, raid10); md(4), "WRITE-BEHIND" and "FAILFAST".
    ``disk_size_bytes`` is the whole disk's size of a slice; ``sector_bytes`` the disk's logical sector, None for 512.
    """

    id: str
    size_bytes: int
    model: str = ""
    serial: str = ""
    disk: str | None = None
    partition: int | None = None
    baseline: Baseline | None = None
    afr: float | None = None
    age_years: float | None = None
    write_mostly: bool = False
    failfast: bool = False
    disk_size_bytes: int | None = None
    sector_bytes: int | None = None

    @property
    def label(self) -> str:
        """Model and serial, as on the disk's label; its id without either."""
        return f"{self.model} {self.serial}".strip() or self.id

    @property
    def flags(self) -> tuple[str, ...]:
        """Its flags, by mdadm's option names."""
        return tuple(name for name, is_set in zip(FLAGS, (self.write_mostly, self.failfast), strict=True) if is_set)

    def flagged(self, flags: Collection[str]) -> Member:
        """Return the member with exactly these flags of FLAGS."""
        return replace(self, write_mostly="write-mostly" in flags, failfast="failfast" in flags)

    @property
    def failure_unit(self) -> str:
        """The unit that fails as a whole: the disk."""
        return self.disk or self.id

    @property
    def sectors(self) -> int:
        """Size in whole sectors of 512 bytes."""
        return self.size_bytes // 512

    @property
    def kind(self) -> str | None:
        """One of ``DISK_KINDS``: from the baseline, else from the name of the disk or its model; else None."""
        if self.baseline is not None and self.baseline.kind is not None:
            return self.baseline.kind
        words = set(re.split(r"[^a-z0-9]+", f"{self.disk or self.id} {self.model}".lower()))
        return "nvme" if "nvme" in words else "ssd" if "ssd" in words else None

    @property
    def is_flash(self) -> bool:
        """True if it is known to be flash."""
        return self.kind in FLASH_KINDS


SPEEDS = {  # user-settable speeds of a disk, by their names' suffix
    "mb_s": ValidRange(0.1, 1_000_000, say("MB/s"), "180"),
    "iops": ValidRange(0.1, 1_000_000_000, say("IOPS"), "120"),
    "ms": ValidRange(0, 10_000, say("ms"), "2.5"),
}
RPM = ValidRange(1000, 100_000, say("rpm"), "7200")
