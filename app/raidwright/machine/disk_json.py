"""Disks as plain values, for ``raidwright disks --json`` and for the records of a run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from raidwright.core.model.disk import Disk


def disk_as_json(disk: Disk) -> dict[str, Any]:
    """Return every field of ``disk`` under its own name, plus ``free`` and ``live``."""
    return asdict(disk) | {"free": disk.is_free, "live": disk.is_live}
