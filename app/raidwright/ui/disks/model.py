"""What the Disks station shows: the disks of a snapshot, which are chosen, and which chosen one has gone."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from ...core.disk import Disk
from ...machine.connection import Connection, PracticeSpec
from ...machine.values import Snapshot
from . import words


class DiskRow(NamedTuple):
    """A disk as the table shows it.

    ``why_not`` is "" for one that an array can take; ``mind`` also says what such a one still carries.
    """

    disk: Disk
    is_chosen: bool
    why_not: str
    mind: str


class DisksModel(QObject):
    """The choice is kept by id, so a disk that is plugged in again is chosen again."""

    changed = Signal()
    chosen_changed = Signal(object)  # tuple[Disk, ...]
    practice_wanted = Signal(object)  # PracticeSpec
    practice_asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.connection = Connection()
        self.snapshot = Snapshot()
        self._ids: tuple[str, ...] = ()
        self._names: dict[str, str] = {}  # of chosen disks, to speak of one that has gone

    @property
    def rows(self) -> tuple[DiskRow, ...]:
        """One row a disk: those that can be taken first, each kind in the machine's order."""
        rows = (DiskRow(disk, self._takes(disk), words.why_not(disk), words.mind(disk)) for disk in self.snapshot.disks)
        return tuple(sorted(rows, key=lambda row: (not row.disk.is_free, bool(row.why_not))))

    @property
    def chosen(self) -> tuple[Disk, ...]:
        """The chosen disks that are there and can be taken, in the order of their rows."""
        return tuple(row.disk for row in self.rows if row.is_chosen)

    @property
    def gone(self) -> tuple[str, ...]:
        """Chosen disks that have vanished or can't be taken any more, by model and serial."""
        there = {disk.id for disk in self.chosen}
        return tuple(self._names[disk_id] for disk_id in self._ids if disk_id not in there)

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Follow the way to the machine; another machine's disks aren't chosen."""
        if connection.title != self.connection.title:
            self._choose(())
        self.connection = connection
        self.changed.emit()

    @Slot(object)
    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Show the machine as it is now."""
        before = self.chosen
        self.snapshot = snapshot
        self._tell(before)

    def toggle(self, disk_id: str) -> None:
        """Choose a disk or let go of it; one that can't be taken stays as it is."""
        disk = next((disk for disk in self.snapshot.disks if disk.id == disk_id), None)
        if disk_id in self._ids:
            self._choose(tuple(known for known in self._ids if known != disk_id))
        elif disk is not None and disk.is_takeable:
            self._choose((*self._ids, disk_id))

    def choose_all(self) -> None:
        """Choose every disk that is free."""
        self._choose(tuple(disk.id for disk in self.snapshot.disks if disk.is_free))

    def forget_gone(self) -> None:
        """Stop speaking of the disks that have gone."""
        self._choose(tuple(disk.id for disk in self.chosen))

    @Slot()
    def let_go(self) -> None:
        """Choose nothing any more: what was chosen has become an array."""
        self._choose(())

    def practise(self, spec: PracticeSpec) -> None:
        """Ask for a practice machine."""
        self.practice_wanted.emit(spec)

    def ask_for_practice(self) -> None:
        """Let a person say which disks the practice machine should have."""
        self.practice_asked.emit()

    def _choose(self, ids: tuple[str, ...]) -> None:
        before = self.chosen
        self._ids = ids
        self._tell(before)

    def _tell(self, before: tuple[Disk, ...]) -> None:
        now = self.chosen
        self._names |= {disk.id: f"{disk.model} {disk.serial}".strip() or disk.id for disk in now}
        self.changed.emit()
        if now != before:
            self.chosen_changed.emit(now)

    def _takes(self, disk: Disk) -> bool:
        return disk.id in self._ids and disk.is_takeable
