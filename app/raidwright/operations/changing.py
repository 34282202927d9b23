"""Changing an existing array's shape: level, members, layout, chunk and component size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from raidwright.core.errors import DiskRefused
from raidwright.core.lvm.values import VolumeGrowth
from raidwright.core.lvm.volume_changes import VolumeStanding
from raidwright.core.md.changes.standing import standing_from
from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.model.plan import JOINED, Member
from raidwright.core.model.plan_json import dump_member
from raidwright.core.protocol import looking, verbs
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import ChangeGround
from raidwright.core.protocol.results import ArrayChanged
from raidwright.machine.helper.job_progress import OnUpdate, ignore
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Named

from .arrays import StartVolume
from .operation import Operation, Request

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class ExamineChange(Request[ChangeGround]):
    """Examine what a change of the array must heed: its content, md's activity, mdadm's version.

    Raises DiskRefused, ``Code.ASLEEP``, if its disks are in standby, unless ``wake``.
    """

    verb = looking.EXAMINE_CHANGE
    array: Named
    wake: bool = False


@dataclass(frozen=True, slots=True)
class LookForChange(Operation[ChangeGround]):
    """Examine what a change of the array must heed, as a person has asked: disks that sleep are woken for it."""

    array: Named

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> ChangeGround:
        """Return the running state; the right to wake disks is asked for only if they sleep."""
        try:
            return await ExamineChange(self.array).perform(machine, on_update)
        except DiskRefused as refused:
            if refused.code != Code.ASLEEP:
                raise
            return await ExamineChange(self.array, wake=True).perform(machine, on_update)


@dataclass(frozen=True, slots=True)
class ExamineGrowth(Operation[VolumeStanding]):
    """Examine what the growth of a joined volume must heed: its content, and each of its arrays."""

    volume: Named
    bands: tuple[Named, ...]

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> VolumeStanding:
        """Return the running state of the volume and its arrays, as the helper sees them."""
        above = await LookForChange(self.volume).perform(machine, on_update)
        grounds = [await LookForChange(band).perform(machine, on_update) for band in self.bands]
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
    goal: ChangeWish | VolumeGrowth
    wipe: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def arguments(self) -> tuple[object, ...]:
        goal = _goal_of_volume(self.goal) if isinstance(self.goal, VolumeGrowth) else _goal_of_array(self.goal)
        disks = [
            {**dump_member(disk), **({"wipe": list(names)} if (names := self.wipe.get(disk.id)) else {})}
            for disk in self.goal.new
        ]
        return (*self.array, goal, disks)


def _goal_of_array(wish: ChangeWish) -> dict[str, object]:
    return {
        "level": str(wish.level),
        "slots": wish.slots,
        "layout": wish.layout,
        "chunk_kib": wish.chunk_kib,
        "larger": wish.larger,
        "consistency": wish.consistency and str(wish.consistency),
        "exchange": bool(wish.exchange),
    }


def _goal_of_volume(growth: VolumeGrowth) -> dict[str, object]:
    return {"level": JOINED, "slots": growth.slots, "larger": growth.larger, "exchange": False}


@dataclass(frozen=True, slots=True)
class ContinueGrowth(Operation[ArrayChanged]):
    """Finish a joined volume's growth that was cut off: start the volume if it doesn't run, and do what is left.

    The steps are worked out by the helper from the volume itself; disks that none of its arrays has yet are ``add``.
    ``disks`` is the number of disks that it has then, ``wipe`` as of ``ChangeArray``.
    """

    volume: Named
    bands: tuple[Named, ...]
    disks: int
    is_running: bool = True
    add: tuple[Member, ...] = ()
    wipe: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> ArrayChanged:
        """Raise what ``StartVolume`` and ``ChangeArray`` do."""
        if not self.is_running:
            await StartVolume(self.volume, self.bands).perform(machine, on_update)
        goal = VolumeGrowth(self.add, self.disks, larger=True)
        return await ChangeArray(self.volume, goal, self.wipe).perform(machine, on_update)


def growth_left(volume: Volume, add: tuple[Member, ...] = ()) -> ContinueGrowth:
    """Return the operation that finishes the growth of ``volume``."""
    inside = {member.failure_unit for band in volume.bands for member in band.members} | {disk.id for disk in add}
    bands = tuple(band.named for band in volume.bands)
    return ContinueGrowth(volume.named, bands, len(inside), volume.running, add)


@dataclass(frozen=True, slots=True)
class PaceChange(Request[None]):
    """Limit md's work on the array to ``kib_per_s`` along each member; 0 pauses it, NO_LIMIT_KIB_S is the system's."""

    verb = verbs.PACE_CHANGE
    array: Named
    kib_per_s: int
