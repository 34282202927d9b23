"""Choices of a shoot-out besides its layouts: file systems, states, duration, and what takes part beside them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from raidwright.core.system.filesystem import ALIGNED_KINDS, MEASURED_KINDS, FileSystemKind
from raidwright.runs.run import ArrayState
from raidwright.suites import REPEATS

_DEFAULT_MINUTES = 30


class ProveChoices(QObject):
    """The choices; ``changed`` follows them."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.minutes, self.degraded, self.rebuilding = _DEFAULT_MINUTES, True, False
        self.repeats = REPEATS  # of the deciding workloads
        self.kinds: tuple[FileSystemKind, ...] = ALIGNED_KINDS
        self.cross_paired = False  # two mirrors across the halves of the first two disks take part, too
        self.beside = ""  # the id of a disk that takes part as it is
        self.wanted_gib: float | None = None  # as set by the user

    @property
    def states(self) -> tuple[ArrayState, ...]:
        """The states in which layouts are measured."""
        others = ((ArrayState.DEGRADED, self.degraded), (ArrayState.REBUILDING, self.rebuilding))
        return (ArrayState.HEALTHY, *(state for state, wanted in others if wanted))

    def choose_minutes(self, minutes: int) -> None:
        """Set the duration."""
        self.minutes = minutes
        self._reckon()

    def choose_slice(self, gib: float) -> None:
        """Set the slice of each disk."""
        self.wanted_gib = gib
        self._reckon()

    def choose_repeats(self, repeats: int) -> None:
        """Set the repeats of the deciding workloads."""
        self.repeats = repeats
        self._reckon()

    def choose_degraded(self, wanted: bool) -> None:
        """Set whether to measure with a disk lost, too."""
        self.degraded = wanted
        self._reckon()

    def choose_rebuilding(self, wanted: bool) -> None:
        """Set whether to measure during a rebuild, too."""
        self.rebuilding = wanted
        self._reckon()

    def choose_btrfs(self, wanted: bool) -> None:
        """Set whether btrfs takes part in the suite of files."""
        self.kinds = MEASURED_KINDS if wanted else ALIGNED_KINDS
        self._reckon()

    def choose_cross_paired(self, wanted: bool) -> None:
        """Set whether cross-paired mirrors take part."""
        self.cross_paired = wanted
        self._reckon()

    def choose_beside(self, disk_id: str) -> None:
        """Set the disk that takes part as it is; "" for none."""
        self.beside = disk_id
        self._reckon()

    def _reckon(self) -> None:
        """Follow a choice."""
        raise NotImplementedError
