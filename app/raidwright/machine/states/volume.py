"""A joined volume as a machine has it: LVM's volume over arrays on slices, whose places are its disks, each once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from raidwright.core.lvm.joined import LINEAR
from raidwright.core.md.assembly import AssemblyState
from raidwright.core.md.histories import Branch
from raidwright.core.md.layouts import Level
from raidwright.core.md.running_state import WAITING, Hold
from raidwright.core.md.sync import IDLE
from raidwright.core.model.plan import JOINED, Member
from raidwright.core.protocol.facts import HostFacts
from raidwright.core.system.layers import Layer
from raidwright.machine.values import Array, ArrayDevice, Former, Lack, Named, Snapshot, inner_arrays


@dataclass(frozen=True, slots=True)
class Volume:
    """A joined volume over ``bands``, its arrays in order, and ``waiting``, those that LVM doesn't have yet.

    It has the UUID, the host and the home host of its first array, as the helper names it. ``device`` is "" while it
    isn't active; then ``slots`` is 0, and ``member_devices`` are slices rather than arrays. ``mounted_at`` and what md
    does (``sync_*``) are as an array's. What the kernel and superblocks tell is told of its arrays, each for itself.
    """

    word: ClassVar[str] = JOINED
    facts: ClassVar[None] = None
    assembly: ClassVar[None] = None
    made_by: ClassVar[None] = None
    make: ClassVar[str] = ""
    halves: ClassVar[tuple[Branch, ...]] = ()
    layers: ClassVar[tuple[Layer, ...]] = ()
    is_container: ClassVar[bool] = False
    is_delayed: ClassVar[bool] = False
    is_misread: ClassVar[bool] = False
    is_unreadable: ClassVar[bool] = False
    has_open_slots: ClassVar[bool] = False

    name: str
    bands: tuple[Array, ...]
    device: str = ""
    size_bytes: int = 0
    mounted_at: str = ""
    degraded: int = 0
    member_devices: tuple[str, ...] = ()
    slots: int = 0
    places: tuple[ArrayDevice, ...] = ()
    lacks: tuple[Lack, ...] = ()
    former: tuple[Former, ...] = ()
    sync_action: str = "idle"
    sync_fraction: float = 0.0
    sync_bytes_per_s: int = 0
    sync_seconds_left: int = 0
    waiting: tuple[Array, ...] = ()

    @property
    def uuid(self) -> str:
        """Its first array's UUID."""
        return self.bands[0].uuid

    @property
    def homehost(self) -> str:
        """Its first array's home host."""
        return self.bands[0].homehost

    @property
    def host(self) -> HostFacts | None:
        """The machine that it is on."""
        return self.bands[0].host

    @property
    def link(self) -> str:
        """Its first array's link below /dev/md."""
        return self.bands[0].link

    @property
    def node(self) -> str:
        """The path for a command."""
        return self.link or self.device

    @property
    def named(self) -> Named:
        """UUID and name."""
        return Named(self.uuid, self.name)

    @property
    def running(self) -> bool:
        """True while LVM has it active."""
        return bool(self.device)

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The arrays that keep its data."""
        return self.bands

    @property
    def members(self) -> tuple[Member, ...]:
        """The slices of a stopped one, array by array; of a running one its disks are its ``places``."""
        return () if self.running else tuple(member for band in self.bands for member in band.members)

    @property
    def members_here(self) -> int:
        """The number of its disks that are here."""
        return max(len(self.working), self.slots - self.degraded) if self.running else len(self.member_devices)

    @property
    def members_missing(self) -> int:
        """The number of its disks that are missing."""
        return max(0, self.slots - self.members_here)

    @property
    def state(self) -> str:
        """The state in a word, as an array's; a stopped one is seen only if its arrays can start."""
        if self.running:
            return "degraded" if self.degraded or self.lacks else "running"
        return str(AssemblyState.STOPPED)

    @property
    def can_start(self) -> bool:
        """True if it is stopped: each of its arrays runs or can be started."""
        return not self.running

    @property
    def is_foreign(self) -> bool:
        """True if its arrays' superblocks name another computer than this as their home."""
        return self.bands[0].is_foreign

    @property
    def waits(self) -> bool:
        """True if md goes on with one of its arrays only once that may be written to."""
        return self.hold in WAITING

    @property
    def hold(self) -> Hold | None:
        """The first of its running arrays' holds."""
        return next((band.hold for band in self.bands if band.hold), None)

    @property
    def would_stay_stopped(self) -> bool:
        """True if md, after a stop or a restart, would start one of its arrays only by force."""
        return any(band.would_stay_stopped for band in self.bands)

    @property
    def is_growth_cut_off(self) -> bool:
        """True if its growth has begun, and nothing is at work on it: power or the helper was cut off."""
        if any(map(_is_at_work, (*self.bands, *self.waiting))):
            return False
        return bool(self.waiting) or any(map(_is_half_grown, self.bands))

    @property
    def other_kind(self) -> str:
        """LVM's arrangement of its arrays, "" where they lie one after the other.

        A target of device-mapper such as ``striped``; ``unknown`` where neither it nor LVM's backup tells.
        """
        kinds = (band.facts.volume_kind for band in self.bands if band.facts)
        return next((kind for kind in kinds if kind not in ("", LINEAR)), "")

    @property
    def working(self) -> frozenset[int]:
        """The slots with a working disk."""
        return frozenset(place.slot for place in self.places if place.works and place.slot is not None)


State = Array | Volume


def is_growth_cut_off(state: State) -> bool:
    """Return whether ``state`` is a volume whose growth was cut off."""
    return isinstance(state, Volume) and state.is_growth_cut_off


def _is_at_work(band: Array) -> bool:
    """Return whether md or the helper works on the array; a reshape that waits for the first write is no work."""
    if band.facts is not None and band.facts.claimed:
        return True
    waits = band.facts is not None and band.facts.starts_at_write
    return band.running and band.sync_action not in IDLE and not waits


def _is_half_grown(band: Array) -> bool:
    """Return whether an array of a joined volume has a slice that waits to be used, or waits within a reshape.

    UDisks2 still shows a spare some time after md has taken it in.
    """
    if not band.running:
        return band.assembly is not None and band.assembly.reshapes
    stays = band.level == Level.RAID1 and band.slots > 2  # a mirror of three isn't widened, so a spare is its own
    spares = band.facts.spares if band.facts is not None else sum(place.is_spare for place in band.places)
    waits = spares > 0 and not band.lacks and not stays
    return waits or (band.facts is not None and band.facts.reshapes)


def leaves(array: State, snapshot: Snapshot) -> tuple[Member, ...]:
    """Return the disks of ``array`` and of its inner arrays."""
    return tuple(member for one in (array, *inner_arrays(array.member_devices, snapshot)) for member in one.members)
