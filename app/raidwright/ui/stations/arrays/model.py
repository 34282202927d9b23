"""The machine's arrays, the action being confirmed on one, and the result of the last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.md.sync import NO_LIMIT_KIB_S
from raidwright.core.model.disk import Disk
from raidwright.core.model.names import is_array_name, is_scratch_name
from raidwright.core.model.plan import Member
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.facts import Check, CheckState
from raidwright.core.protocol.results import (
    ArrayChanged,
    Continued,
    Dismantled,
    Started,
    Stopped,
    TakenOver,
    UndoResult,
    Unmounted,
)
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.judged_plan import judged_plan
from raidwright.machine.states.volume import State, Volume, is_growth_cut_off, leaves
from raidwright.machine.values import Named, Snapshot
from raidwright.machine.volume_checks import last_check, with_volume_checks
from raidwright.operations.arrays import (
    ForgetBadBlocks,
    ListChecks,
    PauseCheck,
    StartArray,
    StartCheck,
    TakeOver,
    going_on,
    start_of,
)
from raidwright.operations.builds import Undo
from raidwright.operations.changing import PaceChange, growth_left
from raidwright.operations.operation import Operation
from raidwright.operations.system import Unmount
from raidwright.session import Session
from raidwright.text.array.bad_blocks import bad_sectors
from raidwright.text.array.changes import changed_text
from raidwright.text.array.condition import dropped
from raidwright.text.array.layers import kept_running_words
from raidwright.text.catalogue import tr, translated
from raidwright.ui.confirmed import Confirmed
from raidwright.ui.job import RunningOperation
from raidwright.ui.widgets.locating import Locating

from .acts import STARTS, Act, end_of_act, start_of_act
from .said import apart_words, running_words, undone_words

if TYPE_CHECKING:
    from raidwright.operations.kept_runs import LastMeasured


class ArraysModel(Confirmed):
    """The arrays. ``changed`` follows everything shown. ``opened`` is the array whose ``act`` awaits confirmation.

    ``replace_wanted(Array)`` asks for the page on which an array's disk is replaced, ``change_wanted(Array)`` for the
    dialog in which its shape is changed, ``limit_wanted(Array)`` for the one that limits md's work on it,
    ``rescue_wanted(Array)`` for the one that tries it on overlays, ``measure_wanted(Array)`` for the station Measure,
    ``set_up_wanted(Named, mount point)`` for the page of its lines in the system's files, ``card_wanted(Array)`` for a
    file with its recovery card. ``judged(Plan)``: an array as a plan, to be shown at the station Plan.
    """

    rescue_wanted = Signal(object)
    replace_wanted = Signal(object)
    change_wanted = Signal(object)
    limit_wanted = Signal(object)
    measure_wanted = Signal(object)
    set_up_wanted = Signal(object, str)
    card_wanted = Signal(object)
    judged = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.job = RunningOperation(session, self)
        self.locating = Locating(session, self)
        self.job.done.connect(self._done)
        self.job.failed.connect(self._failed)
        self.job.ended.connect(self._ended)
        self.job.changed.connect(self.changed)
        self._snapshot = Snapshot()
        self._connection = Connection()
        self._checks: tuple[Check, ...] = ()
        self._measured: Mapping[str, LastMeasured] = {}
        self._sought: frozenset[str] = frozenset()  # the arrays whose runs were looked for
        self.opened: State | None = None
        self.act = Act.STOP
        self.held: tuple[str, ...] = ()  # content of the opened array, once reported by the helper
        self.is_given_up = False
        self.with_lines = False  # True if its lines in the system's files are removed as well
        self.new_name = ""  # of the array that is taken over
        self.half = ""  # a disk, by its id, of the half that is started
        self._before: State | None = None  # as it was before md went on
        self._meant = ""  # name of the array being stopped or removed; it may disappear before that ends
        self.said = ""
        self._followed = ""  # UUID of the array whose running check ``said`` is about
        self._was_volume = False  # the array removed last was a joined volume
        self.way_back = ""  # id for undoing the last removal of an array

    @property
    def arrays(self) -> tuple[State, ...]:
        """The arrays that aren't part of another: running ones, then those with members on this machine.

        A joined volume is one of them, its arrays aren't; nor is a shoot-out's scratch array, which is nobody's.
        """
        own = [array for array in self._snapshot.arrays if not is_scratch_name(array.name)]
        parts = {device for array in own for device in array.member_devices}
        shown = [array for array in with_volumes(own) if not array.device or array.device not in parts]
        here = [array for array in shown if array.running or array.member_devices]
        return tuple(sorted(here, key=lambda array: not array.running))

    @property
    def seen(self) -> tuple[Session, Snapshot]:
        """The session, and the machine's present state, for a dialog on one array."""
        return self._session, self._snapshot

    @property
    def disks(self) -> Mapping[str, Disk]:
        """The machine's disks, by id."""
        return {disk.id: disk for disk in self._snapshot.disks}

    @property
    def problem(self) -> str:
        """The reason why the machine can't be looked at; "" if it can."""
        if self._connection.state is not ConnectionState.CONNECTED:
            return translated(self._connection.sentence) or tr("No machine is connected.")
        return translated(self._snapshot.problem)

    def last_check(self, array: State) -> Check | None:
        """Return the latest known check of the array."""
        return last_check(self._checks, array)

    def last_measured(self, array: State) -> LastMeasured | None:
        """Return the last kept run of the array, with its prediction."""
        return self._measured.get(array.uuid)

    def seek_runs(self) -> None:
        """Look for the last run of each array that is new here."""
        if not {array.uuid for array in self.arrays} <= self._sought:
            self.look_at_runs()

    @Slot()
    def look_at_runs(self) -> None:
        """Look for the last run of each array."""
        self._sought = frozenset(array.uuid for array in self.arrays)
        if self._sought:
            self._session.last_runs(sorted(self._sought), done=self._take_runs, failed=lambda _error: None)

    @Slot(object)
    def _take_runs(self, measured: Mapping[str, LastMeasured]) -> None:
        self._measured = measured
        self.changed.emit()

    def disks_of(self, array: State) -> tuple[Member, ...]:
        """Return the array's disks, and those of its inner arrays."""
        return leaves(array, self._snapshot)

    @property
    def why_not(self) -> str:
        """The reason why the opened action can't be done yet; "" if it can."""
        if self.opened is None or self.job.is_busy:
            return self.job.at or tr("Wait until this has ended.")
        now = next((array for array in self.arrays if array.uuid == self.opened.uuid), self.opened)
        if now.mounted_at:
            return tr("It is mounted at {place}. Unmount it first.", place=now.mounted_at)
        if self.act in (Act.STOP, Act.TAKE_OVER) and now.running and (why := kept_running_words(now)):
            return why
        if self.held and not self.is_given_up:
            return tr("Tick that what is on it may be given up.")
        if self.opened.halves and not self.half and self.act in STARTS:
            return tr("Choose the half to start it of.")
        name = "" if self.act is Act.LOOK else self.unconfirmed(self.opened.name)
        return self._why_not_called_so() or name

    def _why_not_called_so(self) -> str:
        if self.opened is None or self.act is not Act.TAKE_OVER:
            return ""
        if not is_array_name(self.new_name):
            return tr("A name has up to 32 letters, digits, “-” and “_”.")
        others = (array for array in self._snapshot.arrays if array.uuid != self.opened.uuid)
        if any(array.name == self.new_name for array in others):
            return tr("Another array is called “{name}”; choose another name.", name=self.new_name)
        return ""

    @Slot(str)
    def rename(self, name: str) -> None:
        """Set the name that the array gets when it is taken over."""
        self.new_name = name
        self.changed.emit()

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Reset for another machine: its arrays differ, and confirmations don't apply to them."""
        is_new = connection.title != self._connection.title or connection.state is not self._connection.state
        self._connection = connection
        if is_new:
            self._checks, self.said, self.way_back, self._followed = (), "", "", ""
            self.leave()
            self._look()

    @Slot(object)
    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Update the arrays; a check that has ended has a result."""
        checked = _checking(self._snapshot)
        self._snapshot = snapshot
        checking = _checking(snapshot)
        if checked - checking or (self._followed and self._followed not in checking):  # it may end between snapshots
            self._look()
        may_be_either = self.act in (Act.TAKE_APART, Act.TAKE_OVER, Act.FORGET)
        still = {array.uuid for array in self.arrays if may_be_either or array.running != (self.act in STARTS)}
        if self.opened is not None and self.opened.uuid not in still:
            self.opened = None
        self.changed.emit()

    def check(self, array: State) -> None:
        """Start a check of the array, or pause the running one."""
        self._do(PauseCheck(array.named) if array.sync_action == "check" else StartCheck(array.named))

    def pace(self, array: State, kib_per_s: int) -> None:
        """Limit md's work on the array; 0 pauses it."""
        self._do(PaceChange(array.named, kib_per_s))

    def pause(self, array: State) -> None:
        """Pause md's work on the array, or let it go on."""
        self.pace(array, NO_LIMIT_KIB_S if array.facts is not None and array.facts.is_paused else 0)

    def go_on(self, array: State) -> None:
        """Finish a joined volume's growth, or let md go on with what waits; confirmed first if members are missing."""
        if array.waits and not is_growth_cut_off(array) and array.degraded:
            self.open(array, Act.GO_ON)
            return
        self._before, self._meant = array, array.name
        self._do(growth_left(array) if isinstance(array, Volume) and array.is_growth_cut_off else going_on(array))

    def judge(self, array: State) -> None:
        """Show the array as a plan; ``job.failure`` says why it can't be."""
        try:
            plan = judged_plan(array, self._snapshot)
        except InputError as error:
            self.refuse(translated(error.sentence))
            return
        self.judged.emit(plan)

    def refuse(self, sentence: str) -> None:
        """Say why something can't be done."""
        self.job.failure = sentence
        self.changed.emit()

    def unmount(self, array: State) -> None:
        """Unmount the array's file system; nothing is lost, so there is no confirmation."""
        self._do(Unmount(array.named))

    def start(self, array: State, *, read_only: bool = False) -> None:
        """Start a stopped array; if it would start with fewer members than it last had, confirm first.

        ``read_only`` writes nothing, so that is never confirmed. Of halves one is chosen in either case.
        """
        if array.halves:
            self.open(array, Act.LOOK if read_only else Act.START)
            return
        lacks = bool(dropped(array))
        if lacks and not read_only:
            self.open(array, Act.START)
            return
        self._meant = array.name
        alone = StartArray(array.named, read_only=read_only, missing=lacks)
        self._do(start_of(array) if isinstance(array, Volume) else alone)

    def open(self, array: State, act: Act) -> None:
        """Ask for the confirmation of ``act``."""
        self.opened, self.act, self.typed, self.held, self.is_given_up = array, act, "", (), False
        self.with_lines, self.new_name, self.half = False, array.name, ""
        self.job.failure = self.said = self.way_back = self._followed = ""
        self.changed.emit()

    @Slot()
    def leave(self) -> None:
        """Cancel, without any change."""
        self.opened, self.typed, self.job.failure = None, "", ""
        self.changed.emit()

    def choose_half(self, disk_id: str) -> None:
        """Choose the half with that disk."""
        self.half = disk_id
        self.changed.emit()

    @Slot(bool)
    def give_up(self, is_given_up: bool) -> None:
        """Set whether the content of the opened array may be lost."""
        self.is_given_up = is_given_up
        self.changed.emit()

    @Slot(bool)
    def take_lines_out(self, with_lines: bool) -> None:
        """Set whether the array's lines in the system's files are removed with it."""
        self.with_lines = with_lines
        self.changed.emit()

    @Slot()
    def confirm(self) -> None:
        """Do the opened and confirmed action."""
        if self.opened is None or self.why_not:
            return
        self._before = array = self.opened
        self._meant = array.name
        if self.act in STARTS:
            self._do(start_of_act(self.act, array, self.typed, self.half))
        elif self.act is Act.FORGET:
            self._do(ForgetBadBlocks(Named(array.uuid, self.typed), bad_sectors(array)))
        elif self.act is Act.GO_ON:
            self._do(going_on(array, missing=True))
        elif self.act is Act.TAKE_OVER:
            self._do(TakeOver(Named(array.uuid, self.typed), self.new_name))
        else:
            given_up = self.held if self.is_given_up else ()
            disks = self.disks_of(array)
            self._do(end_of_act(self.act, array, self.typed, disks, given_up, with_lines=self.with_lines))

    @Slot()
    def bring_back(self) -> None:
        """Restore the superblocks of the array removed last."""
        if self.way_back:
            self.job.begin(Undo(self.way_back))

    def _do(self, operation: Operation[Any]) -> None:
        if not self.job.is_busy:
            self.said = self._followed = ""
            self.job.begin(operation)

    def _look(self) -> None:
        if self._connection.state is ConnectionState.CONNECTED:
            # Without a helper there were no checks; an error is shown when a check is started.
            self._session.perform(ListChecks(), done=self._listed, failed=lambda _error: None)

    @Slot(object)
    def _listed(self, checks: tuple[Check, ...]) -> None:
        self._checks = with_volume_checks(checks, self._snapshot.arrays)
        followed = next((check for check in self._checks if check.uuid == self._followed), None)
        if followed is not None and followed.state is not CheckState.RUNNING:
            self.said = self._followed = ""  # its line has the result
        self.changed.emit()

    @Slot(object)
    def _done(self, result: object) -> None:
        name = self._meant
        match result:
            case Check():
                self._checks = (result, *self._checks)
                if result.state is CheckState.RUNNING:
                    self._followed = result.uuid
                    self.said = tr("md checks “{name}” now and goes on by itself.", name=result.name)
            case Stopped():
                self.said = tr("“{name}” is stopped. Its disks still belong to it.", name=name)
                self.opened = None
            case Started() | Continued():
                self.said, self.opened = running_words(name, result, self._before), None
            case TakenOver():
                self.said = tr("“{name}” is this computer's own now, and runs.", name=result.name)
                self.opened = None
                self.set_up_wanted.emit(Named(result.uuid, result.name), "")
            case Dismantled():
                self._was_volume = isinstance(self.opened, Volume)
                self.said = apart_words(name, is_volume=self._was_volume)
                self.opened, self.way_back = None, result.build_id
            case Unmounted():
                self.said = tr("Unmounted from {place}; nothing of it is erased.", place=result.place)
            case ArrayChanged():
                self.said = changed_text(name, result)
            case UndoResult():
                self.said = undone_words(name, result, is_volume=self._was_volume)
                self.way_back = ""

    @Slot(RaidwrightError)
    def _failed(self, error: RaidwrightError) -> None:
        names = error.fields.get("signatures")
        if error.code == Code.HOLDS and isinstance(names, list) and self.opened is not None:
            self.held, self.is_given_up = tuple(map(str, names)), False

    @Slot()
    def _ended(self) -> None:
        self.typed = ""


def _checking(snapshot: Snapshot) -> set[str]:
    """Return the UUIDs of the arrays that md checks; a volume's while it checks one of its arrays."""
    return {array.uuid for array in with_volumes(snapshot.arrays) if array.sync_action == "check"}
