"""The build's view-model: review, typed confirmation, job, and the built array."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.findings.finding import Finding
from raidwright.analysis.findings.of_host import findings_of_host, refuse_on_host
from raidwright.analysis.imagined import is_imagined
from raidwright.core.errors import PlanRefused
from raidwright.core.lvm.whole_disks import disk_ids, whole_disks
from raidwright.core.md.mdadm import Command
from raidwright.core.protocol.facts import BuildRecord, ClosedBy
from raidwright.core.protocol.results import BuildResult, UndoResult
from raidwright.export.removal import removal_commands
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.states.volume import State, leaves
from raidwright.machine.values import Named, Snapshot
from raidwright.operations.builds import CreateArray, Undo
from raidwright.runs.run import Run
from raidwright.runs.trials import Trial, trial_of
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated
from raidwright.ui.after_build.next_steps import NextSteps
from raidwright.ui.confirmed import Confirmed
from raidwright.ui.draft import Draft
from raidwright.ui.job import RunningOperation
from raidwright.ui.phase import Phase
from raidwright.ui.removals import Removals
from raidwright.ui.widgets.locating import Locating


@dataclass(frozen=True, slots=True)
class Built:
    """A built array, with the assessment of its plan."""

    assessment: Assessment
    result: BuildResult

    @property
    def is_as_planned(self) -> bool:
        """True if the array has exactly the planned sectors."""
        return self.result.array_sectors == self.assessment.capacity.array_sectors


class BuildModel(Confirmed):
    """The build. ``changed`` follows everything shown, ``phase_changed`` the Phase, ``built(BuildResult)`` a new array.

    ``take_builds`` answers ``look_wanted``. ``undone(Plan)``: the build of that plan is undone; ``left``: the window
    has turned away from the machine with the built array.
    """

    phase_changed = Signal(object)
    built = Signal(object)
    undone = Signal(object)
    left = Signal()
    trial_wanted = Signal()  # asks for the comparison of the built array with its trial
    look_wanted = Signal()  # undo may have become impossible: list the builds

    def __init__(
        self, session: Session, arrays_job: RunningOperation, locating: Locating, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.phase = Phase.REVIEW
        self.draft = Draft()
        self.connection = Connection()
        self.snapshot = Snapshot()
        self.job = RunningOperation(session, self)
        self.job.done.connect(self._done)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(self._cancelled)
        self.job.changed.connect(self.changed)
        self.built_array: Built | None = None
        self.removals = Removals(session, self)
        self.removals.changed.connect(self.changed)
        self._arrays_job, self.locating = arrays_job, locating  # of the machine's arrays
        self._closed_by = ""  # the helper's reason why undo is impossible
        self.is_measuring = False
        self.trial: Trial | None = None  # of the built array, in a shoot-out
        self.next_steps = NextSteps(session, self)
        self.next_steps.changed.connect(self.changed)
        self.next_steps.done.connect(self.look_wanted)

    @property
    def why_not(self) -> str:
        """The reason why Build is disabled; "" if it isn't."""
        plan = self.draft.plan
        if plan is None or self.draft.assessment is None:
            return self.draft.refusal or tr("There is no plan yet.")
        if self.is_imagined:
            return tr("Some of these disks are imagined. To build, choose real ones, or a practice machine's.")
        return self._why_not_here or self.host_refusal or self.removals.why_not or self.unconfirmed(plan.name)

    @property
    def _why_not_here(self) -> str:
        """The reason why the machine's disks can't be built on; "" if they can."""
        if self.connection.state is not ConnectionState.CONNECTED:
            return tr("No machine is connected.")
        if self.snapshot.problem:
            return tr("The disks aren't seen now: {why}", why=translated(self.snapshot.problem))
        if self.missing:
            return tr("Not there or not free: {disks}. The bar at the top has the ways on.", disks=self.missing)
        return ""

    @property
    def is_imagined(self) -> bool:
        """True if disks of the plan are imagined."""
        plan = self.draft.plan
        return plan is not None and any(is_imagined(disk.id) for disk in whole_disks(plan.top))

    @property
    def host_refusal(self) -> str:
        """The reason why this machine's kernel or mdadm can't make the plan; "" if it can, as far as known."""
        plan, host = self.draft.plan, self.snapshot.host
        try:
            if plan is not None and host is not None:
                refuse_on_host(plan, host)
        except PlanRefused as refused:
            return translated(refused.sentence)
        return ""

    @property
    def host_findings(self) -> tuple[Finding, ...]:
        """The findings on the plan as this machine would make it."""
        plan, host = self.draft.plan, self.snapshot.host
        if plan is None or host is None:
            return ()
        return tuple(findings_of_host(plan, host, self.snapshot.disks))

    @property
    def missing(self) -> tuple[str, ...]:
        """The serial numbers of the plan's disks that the machine lacks, or that came into use."""
        free = {disk.id for disk in self.snapshot.disks if disk.is_takeable}
        plan = self.draft.plan
        return tuple(disk.serial or disk.id for disk in whole_disks(plan.top) if disk.id not in free) if plan else ()

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands of the build, in order, as a person could type them."""
        assessment = self.draft.assessment
        if assessment is None:
            return ()
        known = {disk.id: disk for disk in self.snapshot.disks}
        return (*removal_commands(assessment.plan, known, self.removals.names), *assessment.commands)

    @property
    def array(self) -> State | None:
        """The built array in the machine's latest snapshot; of a joined volume, all of its arrays in one."""
        if self.built_array is None:
            return None
        uuid = self.built_array.result.uuid
        return next((array for array in with_volumes(self.snapshot.arrays) if array.uuid == uuid), None)

    @Slot(object)
    def take_draft(self, draft: Draft) -> None:
        """Review another plan; a confirmation of other commands is reset.

        New details of disks change a plan as well, while the name is being typed: then the text is kept.
        """
        if draft.why_untouchable and self.phase is Phase.REVIEW:
            draft = Draft(refusal=draft.why_untouchable)
        if draft.is_locked:
            return  # our own build
        if self.phase is Phase.BUILT and draft.plan is not None:
            self.phase = Phase.REVIEW
            self.phase_changed.emit(self.phase)
        if self.phase is Phase.REVIEW:
            if _commands(draft) != _commands(self.draft):
                self.typed, self.job.failure = "", ""
            self.draft = draft
            self.removals.review(draft.plan, self.snapshot.disks)
            self.changed.emit()

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Follow the connection; another machine's state isn't kept."""
        is_other = connection.title != self.connection.title or connection.state is ConnectionState.STARTING
        self.connection = connection
        if is_other and self.phase is not Phase.REVIEW:
            self._leave()
        self.changed.emit()

    def _leave(self) -> None:
        """Leave a running job to the helper, which finishes it, without showing its result."""
        self.job.abandon()
        self.built_array = None
        self.next_steps.begin(Named("", ""))
        self._end(Phase.REVIEW)
        self.left.emit()

    @Slot(object)
    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Update the disks and the arrays."""
        before, had_no_helper = self.array, bool(self.snapshot.helper_problem)
        self.snapshot = snapshot
        if had_no_helper and not snapshot.helper_problem:
            self.removals.look_again()
        if self.array is not None:
            self.next_steps.see(self.array.mounted_at)
        if _use(before) != _use(self.array):
            self.look_wanted.emit()
        if before is not None and self.array is None and not snapshot.problem and not self.job.is_busy:
            self._take_back()  # the array was removed
        if self.phase is Phase.REVIEW:
            self.removals.review(self.draft.plan, snapshot.disks)
        self.changed.emit()

    @Slot()
    def look_again(self) -> None:
        """Look now for what was missing, and at the disks."""
        self._session.look_again()
        self.removals.look_again()

    @Slot()
    def build(self) -> None:
        """Build the reviewed and confirmed plan."""
        plan = self.draft.plan
        if plan is None or self.why_not or self.phase is Phase.BUILDING:
            return
        self.phase = Phase.BUILDING
        self.phase_changed.emit(self.phase)
        self.job.begin(CreateArray(plan, self.typed, self.removals.confirmed))

    @property
    def why_not_undo(self) -> str:
        """The reason why the build can't be undone, or not now; "" if it can, as far as known."""
        if self.is_undoing:
            return self.job.at
        if self.is_measuring or any(job.is_busy for job in (self.job, self.next_steps.job, self._arrays_job)):
            return tr("The build can be undone once what is under way has ended.")
        if self.has_other_disks:
            return tr("The build can't be undone any more: the array has been given another disk since.")
        closed_by = self._closed_by or (ClosedBy.WRITTEN if self.next_steps.made else "")
        return {
            "": "",
            ClosedBy.MOUNTED: tr("The build can't be undone while the array is mounted."),
            ClosedBy.IN_USE: tr("The build can't be undone while something uses the array."),
            ClosedBy.WRITTEN: tr("The build can't be undone any more: the array was written to."),
            ClosedBy.NOT_RUNNING: tr("The build can't be undone while the array doesn't run."),
        }.get(closed_by, tr("The build can't be undone any more."))

    @property
    def has_other_disks(self) -> bool:
        """True if the built array has a disk that the plan doesn't name."""
        if self.built_array is None or self.array is None:
            return False
        plan = self.built_array.assessment.plan
        here = (disk.failure_unit if plan.volume else disk.id for disk in leaves(self.array, self.snapshot))
        return not disk_ids(plan.top).issuperset(here)

    @Slot(bool)
    def take_measuring(self, is_measuring: bool) -> None:
        """Set whether a workload is running."""
        if is_measuring != self.is_measuring:
            self.is_measuring = is_measuring
            self.changed.emit()

    def take_runs(self, runs: tuple[Run, ...]) -> None:
        """Find the trial of the built array among the stored ``runs``."""
        built = self.built_array
        trial = trial_of(runs, built.assessment.plan, f"md:{built.result.uuid}") if built is not None else None
        if trial != self.trial:
            self.trial = trial
            self.changed.emit()

    @Slot(object)
    def take_builds(self, builds: tuple[BuildRecord, ...]) -> None:
        """Update whether the build can be undone."""
        build_id = self.built_array.result.build_id if self.built_array else ""
        closed_by = next((build.closed_by for build in builds if build.id == build_id), "")
        if closed_by != self._closed_by:
            self._closed_by = closed_by
            self.changed.emit()

    @Slot()
    def undo(self) -> None:
        """Undo the build; the helper refuses that once the array has content."""
        if self.built_array is None or self.why_not_undo:
            return
        self.job.begin(Undo(self.built_array.result.build_id))

    @property
    def is_asking(self) -> bool:
        """True while the build waits for a password."""
        return self.phase is Phase.BUILDING and not self.job.has_begun

    @property
    def is_undoing(self) -> bool:
        """True while the build is being undone."""
        return self.phase is Phase.BUILT and self.job.is_busy

    @Slot(object)
    def _done(self, result: BuildResult | UndoResult) -> None:
        if isinstance(result, UndoResult):
            self._take_back()
            return
        assert self.draft.assessment is not None  # noqa: S101 -- narrows the type; checked in build()
        self.built_array, self._closed_by = Built(self.draft.assessment, result), ""
        self.next_steps.begin(Named(result.uuid, self.built_array.assessment.plan.name))
        self._end(Phase.BUILT)
        self.built.emit(result)

    def _take_back(self) -> None:
        plan = self.built_array.assessment.plan if self.built_array else None
        self.built_array = None
        self._end(Phase.REVIEW)
        if plan is not None:
            self.undone.emit(plan)

    @Slot()
    def _failed(self) -> None:
        if self.phase is Phase.BUILT:
            self._end(Phase.BUILT)
            self.look_wanted.emit()  # others may have made undo impossible
        else:
            self.removals.forget()  # the signatures may have changed
            self._end(Phase.REVIEW)

    @Slot()
    def _cancelled(self) -> None:
        if self.phase is Phase.BUILT:
            self._end(Phase.BUILT)
        else:
            self._end(Phase.REVIEW)
            self.job.failure = tr("The build was cancelled; what it had written was taken off again.")

    def _end(self, phase: Phase) -> None:
        self.phase, self.typed = phase, ""
        self.phase_changed.emit(phase)
        self.changed.emit()


def _commands(draft: Draft) -> tuple[Command, ...]:
    return draft.assessment.commands if draft.assessment else ()


def _use(array: State | None) -> tuple[bool, str] | None:
    return (array.running, array.mounted_at) if array else None
