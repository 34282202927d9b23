"""The Disks station's view-model: a snapshot's disks, the chosen ones, and missing ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.imagined import is_imagined
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.machine.connection import Connection, ConnectionState, PracticeSpec
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated
from raidwright.text.disk import facts as words
from raidwright.text.disk.bays import bay_key
from raidwright.ui.widgets.locating import Locating


class DiskRow(NamedTuple):
    """A disk's row in the table.

    ``why_not`` is "" for a disk that an array can use; ``mind`` also names the present content of such a disk.
    ``is_gone``: it is chosen, and has since disappeared (not ``is_there``) or become unusable. ``is_unseen``: nobody
    can be asked about it now; it is as last seen.
    """

    disk: Disk
    is_chosen: bool
    why_not: str
    mind: str
    is_gone: bool = False
    is_there: bool = True
    is_unseen: bool = False


class DisksModel(QObject):
    """The disks and the choice.

    Only the user changes the choice: a chosen disk that is pulled or comes into use remains chosen, as last seen, until
    the user decides or it returns. The choice is kept by id, since a disk may return under another kernel name.

    ``is_judged``: the choice is that of an array that exists, to look at. It ends with the first disk that the user
    chooses or leaves out, since no disk of that array can be in a plan.
    """

    changed = Signal()
    chosen_changed = Signal(object)  # tuple[Disk, ...]
    place_taken = Signal(str, object)  # id of a missing disk, and the Disk that replaces it; chosen_changed follows
    practice_wanted = Signal(object)  # PracticeSpec
    practice_asked = Signal()

    def __init__(self, parent: QObject | None = None, session: Session | None = None) -> None:
        super().__init__(parent)
        self.locating = Locating(session, self) if session else None
        self.connection = Connection()
        self.snapshot = Snapshot()
        # by work that depends on the choice: then another machine doesn't clear it
        self.is_held: Callable[[], bool] = lambda: False
        self.is_judged = False
        self.is_moving = False  # to a machine with disks like the chosen ones: then it doesn't, either
        self.seeking: Disk | None = None  # a missing disk: the next disk chosen replaces it
        self.imagined: tuple[Disk, ...] = ()  # disks to buy; they are on no machine
        self.prices: Mapping[int, float] = {}  # of disks to buy, by size
        self._known: dict[str, Disk] = {}  # the chosen disks by id, each as it was when last usable

    @property
    def unseen(self) -> str:
        """The reason why the machine can't be seen now, so that its disks are shown as last seen; "" if it can."""
        return translated(self.snapshot.problem)

    @property
    def _here(self) -> tuple[Disk, ...]:
        """All disks for planning: the machine's, and the imagined ones."""
        return (*self.snapshot.disks, *self.imagined)

    def has_own_place(self, disk: Disk) -> bool:
        """Return whether the disk's place, which can be named, is no other disk's."""
        return [bay_key(one) for one in self.snapshot.disks].count(bay_key(disk)) == 1 and bool(bay_key(disk))

    @property
    def rows(self) -> tuple[DiskRow, ...]:
        """One row per disk: usable ones first, each kind in kernel order; chosen ones keep their place."""
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
        """The chosen disks, in the order of their rows; missing ones as last seen."""
        return tuple(self._known[row.disk.id] for row in self.rows if row.is_chosen)

    @property
    def gone(self) -> tuple[Disk, ...]:
        """Chosen disks that have disappeared or become unusable, as last seen; none while the choice is moving."""
        if self.is_moving or self.is_judged:
            return ()
        return tuple(self._known[row.disk.id] for row in self.rows if row.is_gone)

    @property
    def in_use(self) -> tuple[Disk, ...]:
        """Chosen disks that something uses now, as they are."""
        return tuple(row.disk for row in self.rows if row.is_chosen and row.is_there and row.disk.is_live)

    @property
    def others(self) -> tuple[Disk, ...]:
        """The other disks that could be chosen."""
        here = () if self.unseen else self.snapshot.disks
        return tuple(disk for disk in here if disk.is_takeable and disk.id not in self._known)

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Follow the connection; on another machine no disks are chosen."""
        is_other = connection.title != self.connection.title or connection.state is ConnectionState.STARTING
        self.connection = connection
        if is_other and not self.is_held() and not self.is_moving:
            self._choose({known: disk for known, disk in self._known.items() if is_imagined(known)})
        else:
            self.changed.emit()

    @Slot(object)
    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Show the machine's latest snapshot."""
        self.snapshot = snapshot
        self._choose(self._known, is_judged=self.is_judged)

    def toggle(self, disk_id: str) -> None:
        """Add a disk to the choice or remove it; an unusable one isn't added."""
        disk = next((disk for disk in self._here if disk.id == disk_id), None)
        if self.unseen and not is_imagined(disk_id) and disk_id not in self._known:
            return
        if self.is_judged:
            self._choose({disk_id: disk} if disk is not None and disk.is_takeable else {})
        elif disk_id in self._known:
            self._choose({known: one for known, one in self._known.items() if known != disk_id})
        elif disk is not None and disk.is_takeable:
            gone, self.seeking = self.seeking, None
            if gone is not None:
                self.place_taken.emit(gone.id, disk)
            self._choose({known: one for known, one in self._known.items() if one != gone} | {disk_id: disk})

    def choose_all(self) -> None:
        """Add every free disk to the choice."""
        if self.unseen:
            return
        known = {} if self.is_judged else self._known
        self._choose(known | {disk.id: disk for disk in self._here if disk.is_free})

    @property
    def all_at_once(self) -> int:
        """The number of free disks, if none is chosen and an array needs no other."""
        count = sum(disk.is_free for disk in self._here)
        return count if count > 1 and not self._known and self.seeking is None and not self.unseen else 0

    def choose_members(self, members: Iterable[Member], *, is_judged: bool = False) -> None:
        """Choose exactly the disks of a plan; one that isn't here is shown as in the plan, and as missing.

        The plan's imagined disks are added to ours. ``is_judged``: it is the plan of an array that exists.
        """
        members = tuple(members)
        named = {one.id: Disk(one.id, "", one.model, one.serial, "", one.size_bytes) for one in members}
        known = {disk.id: disk for disk in self.imagined}
        self.imagined = tuple(known.get(name, disk) for name, disk in named.items() if is_imagined(name))
        here = {disk.id: disk for disk in self._here if disk.id in named and (disk.is_takeable or is_judged)}
        self._choose(named | here, is_judged=is_judged)

    @Slot(object)
    def imagine(self, disks: tuple[Disk, ...]) -> None:
        """Choose exactly ``disks``; the imagined ones replace earlier ones."""
        self.imagined = tuple(disk for disk in disks if is_imagined(disk.id))
        self._choose({disk.id: disk for disk in disks})

    def move(self, places: Iterable[tuple[Disk, Disk]]) -> None:
        """Replace each pair's first disk by its second, everywhere in the plan, and choose exactly the second ones."""
        places = tuple(places)
        for planned, disk in places:
            self.place_taken.emit(planned.id, disk)
        self.imagined = ()
        self._choose({disk.id: disk for _, disk in places})

    @Slot()
    def forget_imagined(self) -> None:
        """Remove the imagined disks."""
        self.imagined = ()
        self._choose({known: disk for known, disk in self._known.items() if not is_imagined(known)})

    @Slot()
    def seek_another(self) -> None:
        """Let the next disk chosen replace the first missing one."""
        self.seeking = next(iter(self.gone), None)
        self.changed.emit()

    @Slot()
    def seek_none(self) -> None:
        """Let the next disk chosen be an additional one."""
        self.seeking = None
        self.changed.emit()

    @Slot()
    def leave_out_gone(self) -> None:
        """Remove the missing disks from the choice."""
        gone = {disk.id for disk in self.gone}
        self._choose({known: disk for known, disk in self._known.items() if known not in gone})

    @Slot()
    def let_go(self) -> None:
        """Clear the choice: its disks have become an array."""
        self._choose({})

    def practise(self, spec: PracticeSpec) -> None:
        """Ask for a practice machine."""
        self.practice_wanted.emit(spec)

    def ask_for_practice(self) -> None:
        """Ask the user for the practice machine's disks."""
        self.practice_asked.emit()

    def _choose(self, known: dict[str, Disk], *, is_judged: bool = False) -> None:
        self.is_judged = is_judged
        before, now = self._known, {disk.id: disk for disk in self._here if disk.is_takeable or is_judged}
        self._known = {disk_id: now.get(disk_id, disk) for disk_id, disk in known.items()}
        if self.seeking not in self.gone:
            self.seeking = None
        self.changed.emit()
        if self._known != before:
            self.chosen_changed.emit(self.chosen)

    def _row(self, disk: Disk) -> DiskRow:
        is_chosen = disk.id in self._known
        if self.unseen and not is_imagined(disk.id):
            unseen = tr("Not seen now: {why}", why=self.unseen)
            return DiskRow(disk, is_chosen, unseen, unseen, is_unseen=True)
        is_gone = is_chosen and not disk.is_takeable and not self.is_judged
        return DiskRow(disk, is_chosen, words.why_not(disk), words.mind(disk), is_gone)

    def _place(self, row: DiskRow) -> tuple[bool, bool, int, str]:
        disk = self._known.get(row.disk.id, row.disk)
        return not disk.is_free, bool(row.why_not) and not row.is_gone, len(disk.device), disk.device
