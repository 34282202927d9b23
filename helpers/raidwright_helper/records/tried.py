"""Rescues that were tried on overlays with success: what may be done for real, while the disks are as they were.

A record (``store``) per attempt, by its digest, with the digest of its disks: their serial numbers, the places where
they have superblocks, and some blocks all over them.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.json_fields import Fields
from raidwright.core.md.rescue.stripes import BLOCK_BYTES
from raidwright.core.model.rescue_attempt import RescueAttempt

from raidwright_helper.host.extents import bytes_at
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.sampled import blocks_at

from .store import Store

_DIGEST = re.compile(r"[0-9a-f]{64}")
_END_BYTES = 256 * 1024  # where superblocks and partition tables lie, at either end
_BETWEEN = 64
_MAX_KEPT = 64


@dataclass(frozen=True, slots=True)
class TriedRescue:
    """A successful trial: digests of the attempt and of its disks, and the time in Unix seconds."""

    attempt: str
    disks: str
    at_s: int


class TriedRescues:
    """The successful trials; the latest `_MAX_KEPT` are kept."""

    def __init__(self, folder: Path) -> None:
        self._store = Store(
            folder, "record of a rescue's trial", name=_name, read=_read, loss=lambda _: "Try it again."
        )

    def note(self, attempt: RescueAttempt, disks: str) -> None:
        """Record a successful trial; raises JobFailed."""
        kept = sorted(self._store.all(), key=lambda one: one.at_s)
        for old in kept[: max(0, len(kept) + 1 - _MAX_KEPT)]:
            self._store.remove(_name(old))
        self._store.write(TriedRescue(attempt.digest, disks, int(time.time())))

    def forget(self, attempt: RescueAttempt) -> None:
        """Remove the record; raises JobFailed."""
        self._store.remove(f"{attempt.digest}.json")

    def verify(self, attempt: RescueAttempt, disks: str) -> None:
        """Raise DiskRefused unless exactly ``attempt`` was tried with success, and its disks are the same since."""
        found = self._store.get(f"{attempt.digest}.json")
        if found is None:
            raise DiskRefused(
                "This wasn't tried yet, or the trial found nothing. Try it on overlays first; that writes to no disk.",
                code="rescue-not-tried",
            )
        if found.disks != disks:
            raise DiskRefused(
                "The disks have changed since this was tried. Try it on overlays again.", code="rescue-not-tried"
            )


def digest_of_disks(devices: Iterable[tuple[Pinned, int, str]]) -> str:
    """Return the SHA-256 of the devices' serial numbers and sizes, of both their ends and of blocks between.

    An unreadable place has a digest, too.
    """
    digest = hashlib.sha256()
    for device, size_bytes, serial in devices:
        for offset in (0, max(0, size_bytes - _END_BYTES)):
            digest.update(_block(device.fd, offset))
        step = size_bytes // _BETWEEN // BLOCK_BYTES * BLOCK_BYTES
        between = blocks_at(device.fd, range(step, step * _BETWEEN, step) if step else ())
        for place in sorted(between):
            digest.update(hashlib.sha256(between[place]).digest())
        digest.update(f"{size_bytes} {len(between)} {serial}\n".encode())
    return digest.hexdigest()


def _block(fd: int, offset: int) -> bytes:
    try:
        return hashlib.sha256(bytes_at(fd, offset, _END_BYTES)).digest()
    except OSError:
        return b"unreadable"


def _name(tried: TriedRescue) -> str:
    return f"{tried.attempt}.json"


def _read(data: object, _version: int) -> TriedRescue:
    fields = Fields(data, "the record")
    tried = TriedRescue(fields.require("attempt", str), fields.require("disks", str), fields.count("at_s"))
    fields.finish()
    if not (_DIGEST.fullmatch(tried.attempt) and _DIGEST.fullmatch(tried.disks)):
        raise InputError("a digest is none", code="record-digest")
    return tried
