"""md's own word on the arrays of this computer, from sysfs, which anybody may read: for when the helper isn't there.

Without it a member that was failed and removed would stay a member by UDisks2's word. No device is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.md.running_state import RunningMember
from raidwright.core.model.names import array_uuid
from raidwright.core.model.plan import Metadata

_ROOT = Path("/sys/block")


@dataclass(frozen=True, slots=True)
class LocalArray:
    """The members that md has in a running array, and the number of its slots without one."""

    members: tuple[RunningMember, ...]
    degraded: int


def local_arrays(root: Path = _ROOT) -> Mapping[str, LocalArray]:
    """Return this computer's running arrays by UUID; of 0.90, whose UUID the kernel writes otherwise, none."""
    found = {}
    for folder in sorted(root.glob("md*/md")):
        uuid = array_uuid(_read(folder / "uuid"))
        is_told = uuid and _read(folder / "metadata_version") != Metadata.V0_90
        if is_told and _read(folder / "array_state") not in ("", "clear", "inactive"):
            degraded = _read(folder / "degraded")
            members = tuple(_member(path) for path in sorted(folder.glob("dev-*")))
            found[uuid] = LocalArray(members, int(degraded) if degraded.isdecimal() else 0)
    return found


def _member(folder: Path) -> RunningMember:
    slot, start = _read(folder / "slot"), _read(folder / "recovery_start")
    return RunningMember(
        folder.name.removeprefix("dev-"),
        int(slot) if slot.isdecimal() else None,
        tuple(filter(None, _read(folder / "state").split(","))),
        int(start) if start.isdecimal() else None,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:  # the array, or the member, has just gone
        return ""
