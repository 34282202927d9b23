"""The Plan: one frozen value from the first sketch to the measured array.

The window edits it, files store it, the helper receives it, runs refer to it. ``plan_json`` reads and
writes it; ``layers`` turn it into commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from raidwright.core.errors import PlanRefused
from raidwright.core.md.layouts import Level

from .array import UNKNOWABLE, Bitmap, Consistency, MdArray, Metadata
from .member import DISK_KINDS, FLAGS, FLASH_KINDS, RPM, SPEEDS, Baseline, Member
from .volume import LinearVolume, Piece

__all__ = [
    "DISK_KINDS",
    "FLAGS",
    "FLASH_KINDS",
    "RPM",
    "SPEEDS",
    "UNKNOWABLE",
    "Baseline",
    "Bitmap",
    "Consistency",
    "Layer",
    "LinearVolume",
    "Links",
    "MdArray",
    "Member",
    "Metadata",
    "Piece",
    "Plan",
]

Layer = MdArray | LinearVolume
Links = tuple[tuple[str, float], ...]  # each link's name and its ceiling in MB/s
JOINED = "joined"  # in JSON, on the bus and in sentences: a volume over arrays
LAYER_WORDS = (*map(str, Level), JOINED)


@dataclass(frozen=True, slots=True)
class Plan:
    """The choice of a person: the top layer, and what they said of the computer and of loss."""

    top: Layer
    links: Links = ()
    assumptions: tuple[tuple[str, float], ...] = ()  # the user's figures for the loss model, by the names in ASSUMED

    @property
    def name(self) -> str:
        """The top layer's name."""
        return self.top.name

    @property
    def homehost(self) -> str:
        """The home host of its arrays, or any; "" for the computer that makes them."""
        return self.top.homehost

    @property
    def word(self) -> str:
        """The top layer in a word, as in JSON: md's level, or joined."""
        return str(self.top.level) if isinstance(self.top, MdArray) else JOINED

    @property
    def is_guessed(self) -> bool:
        """True if a field of an existing array is unknown."""
        return self.top.is_guessed

    @property
    def array(self) -> MdArray:
        """The top layer, for what only arrays have; raises PlanRefused for a volume."""
        if isinstance(self.top, MdArray):
            return self.top
        raise PlanRefused(
            "{name} is a volume over arrays; this is done to an array.", code="plan-joined", name=self.name
        )

    @property
    def volume(self) -> LinearVolume | None:
        """The top layer, if it is a volume."""
        return self.top if isinstance(self.top, LinearVolume) else None

    def on(self, layer: Layer) -> Plan:
        """Return the plan of another layer, with what was said of the computer and of loss."""
        return replace(self, top=layer)

    def as_built(self) -> Plan:
        """Return the plan of what was just created from it."""
        return self.on(self.top.as_built())

    def disks(self) -> Iterator[Member]:
        """Yield every disk or slice."""
        return self.top.disks()

    def each_disk(self, change: Callable[[Member], Member]) -> Plan:
        """Return the plan with ``change`` applied to every disk of ``disks``."""
        return self.on(self.top.each_disk(change))
