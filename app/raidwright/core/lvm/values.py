"""The steps and ways of a volume's changes, and those of whichever layer."""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.md.changes.values import ChangeStep, ChangeWay, Step, Way
from raidwright.core.model.plan import LinearVolume, Member


@dataclass(frozen=True, slots=True)
class VolumeGrowth:
    """The goal of a volume's growth: it takes the disks of ``add``, has ``slots`` disks then, and uses all their room.

    ``larger`` says that nothing but the room of its own disks is asked for.
    """

    add: tuple[Member, ...]
    slots: int
    larger: bool = False

    @property
    def new(self) -> tuple[Member, ...]:
        """The disks that come into it."""
        return self.add


@dataclass(frozen=True, slots=True)
class VolumeStep(Step[LinearVolume]):
    """A step of a volume."""


AnyStep = ChangeStep | VolumeStep


@dataclass(frozen=True, slots=True)
class VolumeWay(Way[LinearVolume, AnyStep]):
    """A way of a volume, with steps of its arrays."""


AnyWay = ChangeWay | VolumeWay
