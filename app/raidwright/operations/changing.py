"""Changing an existing array's shape: level, members, layout, chunk and component size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from raidwright.core.md.changes.standing import standing_from
from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.md.changes.volumes import VolumeStanding
from raidwright.core.model.plan_json import dump_member
from raidwright.core.protocol import looking, verbs
from raidwright.core.protocol.facts import ChangeGround
from raidwright.core.protocol.results import ArrayChanged
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.machine.values import Named

from .operation import Operation, Request

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class ExamineChange(Request[ChangeGround]):
    """Examine what a change of the array must heed: its content, md's activity, mdadm's version. Never prompts."""

    verb = looking.EXAMINE_CHANGE
    array: Named


@dataclass(frozen=True, slots=True)
class ExamineGrowth(Operation[VolumeStanding]):
    """Examine what the growth of a joined volume must heed: its content, and each of its arrays. Never prompts."""

    volume: Named
    bands: tuple[Named, ...]

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> VolumeStanding:
        """Return the running state of the volume and its arrays, as the helper sees them."""
        above = await ExamineChange(self.volume).perform(machine, on_update)
        grounds = [await ExamineChange(band).perform(machine, on_update) for band in self.bands]
        return VolumeStanding(
            bands=tuple(map(standing_from, grounds)),
            starts=tuple(ground.start_sectors for ground in grounds),
            content=standing_from(above).content,
            size_sectors=above.size_sectors,
        )


@dataclass(frozen=True, slots=True)
class ChangeArray(Request[ArrayChanged]):
    """Change the array to ``goal`` (``goal_of`` a way), step by step, to the end; continues a change cut short.

    ``wipe`` names, by disk, the signatures on new disks released for erasure. The job outlives its caller.
    """

    verb = verbs.CHANGE_ARRAY
    array: Named
    goal: ChangeWish
    wipe: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def arguments(self) -> tuple[object, ...]:
        wish = self.goal
        goal = {
            "level": str(wish.level),
            "slots": wish.slots,
            "layout": wish.layout,
            "chunk_kib": wish.chunk_kib,
            "larger": wish.larger,
            "consistency": wish.consistency and str(wish.consistency),
            "exchange": bool(wish.exchange),
        }
        disks = [
            {**dump_member(disk), **({"wipe": list(names)} if (names := self.wipe.get(disk.id)) else {})}
            for disk in wish.new
        ]
        return (*self.array, goal, disks)


@dataclass(frozen=True, slots=True)
class PaceChange(Request[None]):
    """Limit md's work on the array to ``kib_per_s`` along each member; 0 pauses it, NO_LIMIT_KIB_S is the system's."""

    verb = verbs.PACE_CHANGE
    array: Named
    kib_per_s: int
