"""Show which disk is meant, by a light or by reads."""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_member
from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import DiskLocated, LocateWay
from raidwright.core.system.locating import MAX_SECONDS

from .operation import Request


@dataclass(frozen=True, slots=True)
class LocateDisk(Request[DiskLocated]):
    """Show a disk until the time is over, or the operation is cancelled.

    ``way`` None: its bay's light if there is one, else reads. DiskRefused with ``Code.ASLEEP`` for reads on a disk in
    standby unless ``wake``.
    """

    verb = verbs.LOCATE_DISK
    disk: Member
    way: LocateWay | None = None
    seconds: int = MAX_SECONDS
    wake: bool = False

    def arguments(self) -> tuple[object, ...]:
        options = {"seconds": self.seconds, "wake": self.wake, "way": None if self.way is None else str(self.way)}
        return (dump_member(self.disk), options)
