"""The degraded arrays, and the repair of the opened one: choose a disk, rebuild, check."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.errors import RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.model.names import is_scratch_name
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.protocol.facts import Check
from raidwright.core.protocol.results import Joined, MemberChange, MemberJoined
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.join_progress import Joining, joining_of, place_of
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.joining_disks import JoiningDisk, newcomers
from raidwright.machine.states.volume import State
from raidwright.machine.values import Array, ArrayDevice, Named, Snapshot
from raidwright.machine.volume_checks import last_check, with_volume_checks
from raidwright.operations.arrays import ListChecks, StartCheck
from raidwright.operations.members import AddMember, ReAddMember, RemoveMember, ReplaceMember
from raidwright.session import Session
from raidwright.text.array import condition as words
from raidwright.text.array.partitioned import partition_words
from raidwright.text.catalogue import tr, translated
from raidwright.text.disk.facts import disk_name
from raidwright.ui.confirmed import Confirmed
from raidwright.ui.job import RunningOperation
from raidwright.ui.removals import Removals
from raidwright.ui.widgets.locating import Locating


class RepairStage(Enum):
    """The stage of a repair."""

    CLOSED = auto()
    CHOOSE = auto()  # a disk, confirmed by typing the array's name
    WAITING = auto()  # the spare is rebuilt onto after md's present action
    REBUILDING = auto()
    DONE = auto()


class RepairModel(Confirmed):
    """The repair. ``changed`` follows everything shown; ``opened`` asks for an array's page."""

    opened = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.job = RunningOperation(session, self)
        self.locating = Locating(session, self)
        self.job.done.connect(self._done)
        self.job.failed.connect(self._failed)
        self.job.changed.connect(self.changed)
        self._snapshot = Snapshot()
        self._connection = Connection()
        self.removals = Removals(session, self)
        self.removals.changed.connect(self.changed)
        self._forget("")

    def _forget(self, uuid: str) -> None:
        self._uuid = uuid
        self._chosen = self._leaver = ""
        self._expected: Member | None = None  # the disk added by us, until it is in sync
        self._was_coming = self._is_back = False
        self.is_done = False
        self.joined: MemberJoined | None = None
        self.replaced: Member | None = None  # the replaced working member, which md has marked as failed since
        self.check: Check | None = None
        self.typed = self.job.failure = ""

    @property
    def degraded(self) -> tuple[State, ...]:
        """The running arrays with fewer working members than slots, without scratch arrays."""
        lacking = filter(words.is_degraded, self.seen_as_one)
        return tuple(array for array in lacking if not is_scratch_name(array.name))

    @property
    def arrays(self) -> tuple[State, ...]:
        """All arrays of the machine."""
        return self._snapshot.arrays

    @property
    def seen_as_one(self) -> tuple[State, ...]:
        """The arrays, with those of a joined volume in one."""
        return with_volumes(self._snapshot.arrays)

    @property
    def array(self) -> State | None:
        """The opened array."""
        return next((one for one in self.seen_as_one if one.uuid == self._uuid and one.running), None)

    @property
    def stage(self) -> RepairStage:
        """The stage of the opened array's repair."""
        array = self.array
        if array is None:
            return RepairStage.CLOSED
        if any(place.is_coming for place in array.places):
            return RepairStage.REBUILDING
        if words.is_provided(array) or (array.lacks and self._stands_by(array)):
            return RepairStage.WAITING
        return RepairStage.DONE if self.is_done else RepairStage.CHOOSE

    def _stands_by(self, array: State) -> bool:
        """Return True if the disk added by us is a spare, before md rebuilds onto it."""
        place = place_of(array, self._expected)
        return place is not None and place.is_spare

    @property
    def care(self) -> str:
        """The sentence on what a whole disk leaves out, where members are partitions of disks that hold more."""
        disks = {disk.id: disk for disk in self._snapshot.disks}
        return partition_words(self.array, disks) if self.array else ""

    @property
    def newcomers(self) -> tuple[JoiningDisk, ...]:
        """The machine's other disks, eligible ones first."""
        return newcomers(self._snapshot, self.array, self.leaving) if self.array else ()

    @property
    def chosen(self) -> JoiningDisk | None:
        """The chosen replacement disk."""
        return next((one for one in self.newcomers if one.disk.id == self._chosen and not one.why_not), None)

    @property
    def leaver(self) -> ArrayDevice | None:
        """The member to replace: a failed one that is still attached, or a working one chosen for replacement."""
        array = self.array
        if array is None:
            return None
        if array.lacks:
            return next(filter(None, (words.failed(array, lack) for lack in array.lacks)), None)
        return next((one for one in array.places if one.works and one.member and one.member.id == self._leaver), None)

    @property
    def leaving(self) -> Member | None:
        """The disk of ``leaver``."""
        return self.leaver.member if self.leaver else None

    @property
    def comes_back(self) -> bool:
        """True if the chosen disk only needs a resync of recent changes."""
        return self.chosen is not None and self.chosen.catches_up and bool(self.array and self.array.lacks)

    @property
    def _is_known(self) -> bool:
        """True if nothing need be removed from the chosen disk: it was in the array, or is in part of it."""
        return self.comes_back or bool(self.chosen and self.chosen.goes_on)

    @property
    def why_not(self) -> str:
        """The reason why the rebuild can't start; "" if it can."""
        array, chosen = self.array, self.chosen
        if array is None or self.job.is_busy:
            return self.job.at or tr("Wait until this has ended.")
        if not array.lacks and self.leaver is None:
            return tr("Choose the disk that is to go.")
        if chosen is None:
            return tr("Choose the disk that takes its place.")
        if not self._is_known and self.removals.why_not:
            return self.removals.why_not
        return self.unconfirmed(array.name)

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Reset for another machine."""
        if connection.title != self._connection.title or connection.state is ConnectionState.FAILED:
            self._forget("")
        self._connection = connection
        self.changed.emit()

    @Slot(object)
    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Follow the arrays and the disks: a rebuild's end, a newly attached disk, a failed one."""
        was_checked = self.array is not None and self.array.sync_action == "check"
        self._snapshot = snapshot
        if (array := self.array) is not None:
            self._follow(array)
            if was_checked and array.sync_action != "check":
                self._look()
        self._review()
        self.changed.emit()

    def _follow(self, array: State) -> None:
        is_coming = any(place.is_coming for place in array.places)
        new = self._expected
        how = joining_of(array, new, self.joined, was_seen=self._was_coming) if new else None
        was_coming = self._was_coming or self._is_back
        if how is Joining.DONE or (new is None and was_coming and not is_coming and not array.lacks):
            self._end_rebuild()
        elif new and how is Joining.DROPPED_OUT:
            self.job.failure = tr("{disk} dropped out while it was rebuilt. Choose another one.", disk=disk_name(new))
            self._expected, self._chosen, is_coming = None, "", False
        elif array.lacks and not is_coming and new is None:
            self.is_done = False  # degraded again
        self._was_coming = is_coming

    def _end_rebuild(self) -> None:
        self.is_done, self._expected, self._was_coming, self.job.failure = True, None, False, ""
        self._is_back = False

    @property
    def old(self) -> ArrayDevice | None:
        """The replaced working member, as long as md still lists it."""
        place = place_of(self.array, self.replaced) if self.array else None
        return place if place and place.has_failed else None

    def open(self, array: State) -> None:
        """Open ``array``'s page: its missing members, or the choice of a member to replace."""
        if array.uuid != self._uuid:
            self._forget(array.uuid)
        elif self.is_done and not array.lacks:
            self._forget(array.uuid)  # a new repair
        self._review()
        self.changed.emit()
        self.opened.emit()

    @Slot()
    def close(self) -> None:
        """Close the page; md continues."""
        self._forget("")
        self.changed.emit()

    def choose(self, disk_id: str) -> None:
        """Choose this disk; the array's name confirms it."""
        self._chosen, self.typed, self.job.failure = disk_id, "", ""
        self._review()
        self.changed.emit()

    def let_go(self, member_id: str) -> None:
        """Choose this working member for replacement."""
        self._leaver, self.typed, self.job.failure = member_id, "", ""
        self.changed.emit()

    @Slot()
    def confirm(self) -> None:
        """Add the chosen disk."""
        array, chosen, leaver = self.array, self.chosen, self.leaver
        if array is None or chosen is None or self.why_not:
            return
        named, member = Named(array.uuid, self.typed), chosen.disk.as_member()
        wipe = self.removals.confirmed.get(chosen.disk.id, ())
        self._expected = member
        self.replaced = leaver.member if leaver and leaver.works else None
        if self.comes_back:
            is_array = isinstance(array, Array)  # a volume's slices come back in each array for itself
            self._expected = member if is_array else None
            self.job.begin(ReAddMember(named, member))
        elif leaver and leaver.member:
            self.job.begin(ReplaceMember(named, leaver.member, member, wipe))
        else:
            self.job.begin(AddMember(named, member, wipe))

    @Slot()
    def remove_old(self) -> None:
        """Remove the replaced member."""
        if (array := self.array) and self.old and self.replaced:
            self.job.begin(RemoveMember(array.named, self.replaced))

    @Slot()
    def start_check(self) -> None:
        """Start a check of the array."""
        if array := self.array:
            self.job.begin(StartCheck(array.named))

    def _review(self) -> None:
        chosen = self.chosen
        plan = Plan(MdArray(Level.RAID1, (chosen.disk.as_member(),))) if chosen and not self._is_known else None
        self.removals.review(plan, self._snapshot.disks)
        self.removals.look()

    def _look(self) -> None:
        self._session.perform(ListChecks(), done=self._listed, failed=self._not_listed)

    @Slot(object)
    def _listed(self, checks: tuple[Check, ...]) -> None:
        if self.array is not None:
            self.check = last_check(with_volume_checks(checks, self._snapshot.arrays), self.array) or self.check
        self.changed.emit()

    @Slot(RaidwrightError)
    def _not_listed(self, error: RaidwrightError) -> None:
        self.job.failure = translated(error.sentence)
        self.changed.emit()

    @Slot(object)
    def _done(self, result: object) -> None:
        match result:
            case MemberJoined():
                self.joined = result
                if result.joined is Joined.SPARE and not (self.array and self.array.lacks):
                    self._end_rebuild()
            case MemberChange() if result.came_back:
                self._is_back = self._expected is None
            case Check():
                self.check = result
        self.typed = ""
        if self.array:  # the rebuild may have ended before its start was reported
            self._follow(self.array)

    @Slot()
    def _failed(self) -> None:
        self._expected = self.replaced = None
        self.typed = ""
        self.removals.forget()  # the signatures may have changed
        self._review()
