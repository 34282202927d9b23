"""Reading a running array's state from md's sysfs; no device is opened."""

from __future__ import annotations

from raidwright.core.md.layouts import Level
from raidwright.core.md.running_state import RunningMember, RunningState

from .host import Host

_NONE = ("", "none")


def reshapes(host: Host, number: int) -> bool:
    """Return whether md reshapes the array, or is held back from it.

    At the end of a reshape md takes its position back first, and gives the array its new size later (``raid5.c``,
    ``end_reshape`` and ``raid5_finish_reshape``): it reshapes until both are done.
    """
    position = host.attribute(number, "md/reshape_position")
    return position not in _NONE or host.attribute(number, "md/sync_action") == "reshape"


def reshape_waits(host: Host, number: int) -> bool:
    """Return whether the array, or one below the volume, is of stripes, and within a reshape that doesn't run."""
    level, position = host.attribute(number, "md/level"), host.attribute(number, "md/reshape_position")
    has_stripes = level in set(Level) and Level(level).parity_disks > 0
    if has_stripes and position.isdecimal() and host.attribute(number, "md/sync_action") != "reshape":
        return True
    return any(reshape_waits(host, below) for below in host.slaves(number))


def state_of(host: Host, number: int) -> RunningState:
    """Return the state of the array: what holds it back, and its members."""
    return RunningState(
        array_state=host.attribute(number, "md/array_state"),
        sync_action=host.attribute(number, "md/sync_action"),
        reshapes=reshapes(host, number),
        resync_pending=host.attribute(number, "md/resync_start") not in _NONE,
        degraded=int(host.attribute(number, "md/degraded") or 0),
        policy=host.attribute(number, "md/consistency_policy"),
        members=members_of(host, number),
        is_suspended=_sectors(host, number, "suspend_hi") > _sectors(host, number, "suspend_lo"),
        is_shortened=host.attribute(number, "md/array_size") not in ("", "default"),
    )


def members_of(host: Host, number: int) -> tuple[RunningMember, ...]:
    """Return every device that md has in the array, also one whose disk is gone."""
    folders = sorted(path.name for path in (host.block_dir(number) / "md").glob("dev-*"))
    return tuple(_member(host, number, folder) for folder in folders)


def _member(host: Host, number: int, folder: str) -> RunningMember:
    slot = host.attribute(number, f"md/{folder}/slot")
    start = host.attribute(number, f"md/{folder}/recovery_start")
    return RunningMember(
        folder.removeprefix("dev-"),
        int(slot) if slot.isdecimal() else None,
        tuple(filter(None, host.attribute(number, f"md/{folder}/state").split(","))),
        int(start) if start.isdecimal() else None,
    )


def _sectors(host: Host, number: int, attribute: str) -> int:
    text = host.attribute(number, f"md/{attribute}")
    return int(text) if text.isdecimal() else 0
