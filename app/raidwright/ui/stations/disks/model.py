"""What the Disks station shows: the disks of a snapshot, which are chosen, and which chosen one has gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.model.disk import Disk
from raidwright.core.model.imagined import is_imagined
from raidwright.core.model.plan import Member
from raidwright.machine.connection import Connection, PracticeSpec, State
from raidwright.machine.values import Snapshot
from raidwright.text import disks as words


class DiskRow(NamedTuple):
    """A disk as the table shows it.

    ``why_not`` is "" for one that an array can take; ``mind`` also says what such a one still carries. ``is_gone``:
    it is chosen, and has vanished since (not ``is_there``) or can't be taken any more.
    """

    disk: Disk
    is_chosen: bool
    why_not: str
    mind: str
    is_gone: bool = False
    is_there: bool = True


class DisksModel(QObject):
    """The choice is a person's alone: a chosen disk that is pulled or comes into use stays chosen, as it was last seen,
    until a person decides or it comes back. It is kept by id, so whatever name the disk comes back under.
    """

    changed = Signal()
    chosen_changed = Signal(object)  # tuple[Disk, ...]
    place_taken = Signal(
        str, object
    )  # the id of a disk that has gone, and the Disk in its place; chosen_changed follows
    practice_wanted = Signal(object)  # PracticeSpec
    practice_asked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.connection = Connection()
        self.snapshot = Snapshot()
        self.is_held: Callable[[], bool] = lambda: (
            False
        )  # by work that rests on it: another machine doesn't end it then
        self.seeking: Disk | None = None  # one that has gone: the next disk that is chosen takes its place
        self.imagined: tuple[Disk, ...] = ()  # that one might buy; they are on no machine
        self._known: dict[str, Disk] = {}  # the chosen disks by id, each as it was when it last could be taken

    @property
    def _here(self) -> tuple[Disk, ...]:
        """All that can be planned on: the machine's disks, and the imagined ones."""
        return (*self.snapshot.disks, *self.imagined)

    @property
    def rows(self) -> tuple[DiskRow, ...]:
        """One row a disk: those that can be taken first, each kind by the kernel's names; chosen ones keep theirs."""
        there = {disk.id: disk for disk in self._here}
        rows = [self._row(disk) for disk in there.values()]
        rows += [
            DiskRow(disk, True, words.vanished(), words.vanished(), is_gone=True, is_there=False)
            for disk in self._known.values()
            if disk.id not in there
        ]
        return tuple(sorted(rows, key=self._place))

    @property
    def chosen(self) -> tuple[Disk, ...]:
        """The chosen disks, in the order of their rows; those that have gone as they were last seen."""
        return tuple(self._known[row.disk.id] for row in self.rows if row.is_chosen)

    @property
    def gone(self) -> tuple[Disk, ...]:
        """Chosen disks that have vanished or can't be taken any more, as they were last seen."""
        return tuple(self._known[row.disk.id] for row in self.rows if row.is_gone)

    @property
    def others(self) -> tuple[Disk, ...]:
        """The disks that could be chosen as well."""
        return tuple(disk for disk in self.snapshot.disks if disk.is_takeable and disk.id not in self._known)

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Follow the way to the machine; another machine's disks aren't chosen."""
        is_other = connection.title != self.connection.title or connection.state is State.STARTING
        self.connection = connection
        if is_other and not self.is_held():
            self._choose({known: disk for known, disk in self._known.items() if is_imagined(known)})
        else:
            self.changed.emit()

    @Slot(object)
    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Show the machine as it is now."""
        self.snapshot = snapshot
        self._choose(self._known)

    def toggle(self, disk_id: str) -> None:
        """Choose a disk or let go of it; one that can't be taken stays as it is."""
        disk = next((disk for disk in self._here if disk.id == disk_id), None)
        if disk_id in self._known:
            self._choose({known: one for known, one in self._known.items() if known != disk_id})
        elif disk is not None and disk.is_takeable:
            gone, self.seeking = self.seeking, None
            if gone is not None:
                self.place_taken.emit(gone.id, disk)
            self._choose({known: one for known, one in self._known.items() if one != gone} | {disk_id: disk})

    def choose_all(self) -> None:
        """Choose every disk that is free, besides those that are chosen."""
        self._choose(self._known | {disk.id: disk for disk in self._here if disk.is_free})

    def choose_members(self, members: Iterable[Member]) -> None:
        """Choose exactly the disks of a plan; one that isn't here is known as the plan names it, and has gone.

        Those that the plan imagines, we imagine as well.
        """
        members = tuple(members)
        named = {one.id: Disk(one.id, "", one.model, one.serial, "", one.size_bytes) for one in members}
        known = {disk.id: disk for disk in self.imagined}
        self.imagined = tuple(known.get(name, disk) for name, disk in named.items() if is_imagined(name))
        self._choose(named | {disk.id: disk for disk in self._here if disk.id in named and disk.is_takeable})

    @Slot(object)
    def imagine(self, disks: tuple[Disk, ...]) -> None:
        """Choose exactly ``disks``, of which the imagined ones come to stand here in the place of earlier ones."""
        self.imagined = tuple(disk for disk in disks if is_imagined(disk.id))
        self._choose({disk.id: disk for disk in disks})

    @Slot()
    def forget_imagined(self) -> None:
        """Have real disks alone again."""
        self.imagined = ()
        self._choose({known: disk for known, disk in self._known.items() if not is_imagined(known)})

    @Slot()
    def seek_another(self) -> None:
        """Let the next disk that is chosen take the place of the first that has gone."""
        self.seeking = next(iter(self.gone), None)
        self.changed.emit()

    @Slot()
    def seek_none(self) -> None:
        """Let the next disk that is chosen be one more."""
        self.seeking = None
        self.changed.emit()

    @Slot()
    def leave_out_gone(self) -> None:
        """Let go of the disks that have gone."""
        gone = {disk.id for disk in self.gone}
        self._choose({known: disk for known, disk in self._known.items() if known not in gone})

    @Slot()
    def let_go(self) -> None:
        """Choose nothing any more: what was chosen has become an array."""
        self._choose({})

    def practise(self, spec: PracticeSpec) -> None:
        """Ask for a practice machine."""
        self.practice_wanted.emit(spec)

    def ask_for_practice(self) -> None:
        """Let a person say which disks the practice machine should have."""
        self.practice_asked.emit()

    def _choose(self, known: dict[str, Disk]) -> None:
        before, now = self._known, {disk.id: disk for disk in self._here if disk.is_takeable}
        self._known = {disk_id: now.get(disk_id, disk) for disk_id, disk in known.items()}
        if self.seeking not in self.gone:
            self.seeking = None
        self.changed.emit()
        if self._known != before:
            self.chosen_changed.emit(self.chosen)

    def _row(self, disk: Disk) -> DiskRow:
        is_chosen = disk.id in self._known
        is_gone = is_chosen and not disk.is_takeable
        return DiskRow(disk, is_chosen, words.why_not(disk), words.mind(disk), is_gone)

    def _place(self, row: DiskRow) -> tuple[bool, bool, int, str]:
        disk = self._known.get(row.disk.id, row.disk)
        return not disk.is_free, bool(row.why_not) and not row.is_gone, len(disk.device), disk.device
