"""The steps and ways of a volume's changes, and those of whichever layer."""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.md.changes.values import ChangeStep, ChangeWay, Step, Way
from raidwright.core.model.plan import LinearVolume


@dataclass(frozen=True, slots=True)
class VolumeStep(Step[LinearVolume]):
    """A step of a volume."""


AnyStep = ChangeStep | VolumeStep


@dataclass(frozen=True, slots=True)
class VolumeWay(Way[LinearVolume, AnyStep]):
    """A way of a volume, with steps of its arrays."""


AnyWay = ChangeWay | VolumeWay
