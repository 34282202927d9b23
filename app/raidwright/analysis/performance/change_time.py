"""Time of a change's steps, with its band, from the disks' speeds and md's own throttle.

Sources: kernel ``raid5.c reshape_request`` and ``raid10.c reshape_request``: in turn, a chunk is read from each member
and one is written, at places that grow apart while an array grows; ``md.c md_do_sync`` holds a reshape between
``sync_speed_min`` and ``sync_speed_max`` as it does a resync. With a backup file mdadm copies each section to it and
waits (``Grow.c child_monitor``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot

from raidwright.core.lvm.values import AnyStep, VolumeStep
from raidwright.core.md.changes.values import ChangeKind, ChangeStep
from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Links, Plan
from raidwright.core.system.workload import Workload

from .constants import (
    AT_ONCE_HOURS,
    BACKUP_SLOWDOWN,
    CHUNKS_A_SEEK,
    NINETY,
    SYNC_MAX_B_S,
    SYNC_PIECE_BYTES,
    SYNC_WINDOW_S,
    THREEFOLD,
)
from .drive import Drive
from .host import HostModel
from .prediction import HEALTHY, Predictor
from .rebuild import stripes_b_s
from .rebuild_time import time_of_array


@dataclass(frozen=True, slots=True)
class ChangeTime:
    """Hours of a step on an array that is otherwise idle: 90 of 100 take from ``low_hours`` to ``high_hours``."""

    low_hours: float
    likely_hours: float
    high_hours: float
    limited_by: Message
    assumes: tuple[Message, ...] = ()

    def __add__(self, other: ChangeTime) -> ChangeTime:
        longer = max(self, other, key=lambda time: time.likely_hours)
        return ChangeTime(
            self.low_hours + other.low_hours,
            self.likely_hours + other.likely_hours,
            self.high_hours + other.high_hours,
            longer.limited_by,
            tuple(dict.fromkeys((*self.assumes, *other.assumes))),
        )


def change_time(step: AnyStep, host: HostModel | None = None, links: Links = ()) -> ChangeTime:
    """Return the time of ``step`` with the plan's ``links``; a second where no data move."""
    host = host or HostModel()
    if isinstance(step, VolumeStep) or not step.moves_data:
        return ChangeTime(0.0, AT_ONCE_HOURS, 10 * AT_ONCE_HOURS, say("nothing is moved"))
    copies = step.before.level is Level.RAID1 and step.after.level is Level.RAID1
    if step.kind in (ChangeKind.RESIZE, ChangeKind.EXCHANGE) or copies:
        return _as_a_resync(step, host, links)
    return _of_reshape(step, host, links)


def _as_a_resync(step: ChangeStep, host: HostModel, links: Links) -> ChangeTime:
    """Return the time of a new copy, or of the resync of what is new."""
    predictor = Predictor(Plan(step.after, links), host)
    rebuilt = time_of_array(predictor)
    if rebuilt is None:
        return ChangeTime(0.0, AT_ONCE_HOURS, 10 * AT_ONCE_HOURS, say("nothing is moved"))
    low, likely, high = (
        step.member_bytes / (mb_s * 1e6) / 3600 for mb_s in (rebuilt.high_mb_s, rebuilt.mb_s, rebuilt.low_mb_s)
    )
    limit_b_s = host.sync_limit_b_s or SYNC_MAX_B_S
    if rebuilt.high_mb_s * 1e6 >= limit_b_s:
        low = _least_s(step, limit_b_s) / 3600
    return ChangeTime(low, likely, high, rebuilt.limited_by, rebuilt.assumes)


def _least_s(step: ChangeStep, limit_b_s: float) -> float:
    """Return the seconds at md's limit. It counts the second that has begun as a whole one (``md.c md_do_sync``)."""
    counted_s = step.member_bytes / limit_b_s
    return max(0.0, counted_s - max(1.0, counted_s / (SYNC_WINDOW_S + 1)))


def _of_reshape(step: ChangeStep, host: HostModel, links: Links) -> ChangeTime:
    wider = step.after if len(step.after.members) >= len(step.before.members) else step.before
    predictor = Predictor(Plan(wider, links), host)
    array = predictor.array(HEALTHY)
    limit_b_s = host.sync_limit_b_s or SYNC_MAX_B_S
    if array is None:
        return ChangeTime(0.0, AT_ONCE_HOURS, 10 * AT_ONCE_HOURS, say("nothing is moved"))
    bounds = [(max(_on_disk_s(drive, step) for drive in array.working), say("the slowest member"))]
    bounds.append((step.member_bytes / limit_b_s, say("md's limit")))
    if wider.level.parity_disks:
        bounds.append((step.member_bytes / stripes_b_s(array), say("md's thread on stripes")))
    if step.takes_backup:
        bounds.append((BACKUP_SLOWDOWN * max(seconds for seconds, _ in bounds), say("the backup file")))
    seconds, reason = max(bounds, key=lambda bound: bound[0])
    lacking = tuple(predictor.assumed(Workload.SEQUENTIAL_WRITE.pattern))
    own = THREEFOLD * (2 if step.takes_backup else 1)
    factor = exp(NINETY * hypot(own, *(figure.spread for figure in lacking)))
    return ChangeTime(
        max(_least_s(step, limit_b_s), seconds / factor) / 3600,
        seconds / 3600,
        seconds * factor / 3600,
        reason,
        tuple(figure.sentence for figure in lacking),
    )


def _on_disk_s(drive: Drive, step: ChangeStep) -> float:
    """Return the seconds of one member: its old data read, its new data written, and the head moved in between."""
    component = 1024 * (step.before.component_size_kib or 0)
    streams_s = component / drive.mean_b_s(write=False) + step.member_bytes / drive.mean_b_s(write=True)
    apart = max(0.0, 1 - step.member_bytes / component) / 2 if component else 0.0
    turns = 2 * max(component, step.member_bytes) / _chunk_bytes(step) / CHUNKS_A_SEEK
    return streams_s + turns * (drive.reposition_s(apart) if drive.spins else drive.write_access_s)


def _chunk_bytes(step: ChangeStep) -> int:
    return 1024 * max(step.before.effective_chunk_kib, step.after.effective_chunk_kib) or SYNC_PIECE_BYTES


def times_of(steps: Sequence[AnyStep], links: Links = ()) -> tuple[ChangeTime, ...]:
    """Return the time of each step, with the plan's ``links``."""
    return tuple(change_time(step, links=links) for step in steps)
