"""The Plan station in a window: plans of the chosen disks, of files, of arrays that exist, and left drafts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import cast

from raidwright.analysis.assessment import Assessment
from raidwright.core.lvm.whole_disks import disk_ids, whole_disks
from raidwright.core.md.mdadm import Command
from raidwright.core.model.plan import Plan
from raidwright.export.removal import removal_commands
from raidwright.lazy import Lazy
from raidwright.text.catalogue import tr
from raidwright.ui.exporting import Exporting
from raidwright.ui.frame.leaving import LeavingWay
from raidwright.ui.imagined.practice_alike import PracticeAlike
from raidwright.ui.phase import Phase
from raidwright.ui.station import Loss, Stake, Station, StationParts

from .draft_kept import DraftKept
from .model import PlanModel
from .page import PlanStation


class PlanParts(StationParts[PlanStation]):
    """The station's parts."""

    @Lazy
    def model(self) -> PlanModel:
        """The plan, on the chosen disks."""
        stations, disks = self.stations, self.stations.disks.model
        model = PlanModel(stations)
        model.changed.connect(stations.drafted)
        disks.is_held = lambda: model.is_unsaved
        model.here = lambda: disks.snapshot.disks
        model.first_years = float(stations.settings.years)
        stations.planned.emit(model)
        cast(DraftKept, stations.leftovers(Station.PLAN)).follow(model)
        model.opening.connect(self.open)
        return model

    @Lazy
    def alike(self) -> PracticeAlike:
        """The plan's move to a practice machine with disks like the chosen ones."""
        stations = self.stations
        alike = PracticeAlike(
            stations.session,
            stations.disks.model,
            lambda go: stations.guard.before(LeavingWay.TURN, go),
            stations.ground,
        )
        alike.list_wanted.connect(self.exporting.show_list)
        return alike

    @Lazy
    def exporting(self) -> Exporting:
        """The plan's exports."""
        return Exporting(self.stations, self.stations.ground)

    def make_page(self) -> PlanStation:
        """Make the page, which starts with the walk for new users."""
        settings, wanted = self.stations.settings, self.stations.wanted
        page = PlanStation(self.model, self.stations.ground, begins_with_walk=settings.wants_walk)
        page.walked.connect(settings.walked)
        page.next_wanted.connect(lambda: wanted.emit(Station.BUILD))
        page.disks_wanted.connect(lambda: wanted.emit(Station.DISKS))
        return page

    def stakes(self) -> Iterable[Stake]:
        """Return the plan, if it is in no file."""
        plan = self.stations.made_plan
        if plan is not None and plan.is_unsaved and plan.draft.plan is not None:
            name = plan.draft.plan.name
            yield Stake(Loss.PLAN, tr("The plan “{name}” has changes that are in no file; they are lost.", name=name))

    def open(self, plan: Plan, then: Callable[[], object] = lambda: None) -> None:
        """Open a plan: on the chosen disks if they are its own, else on its own disks from now on."""
        if disk_ids(plan.top) == {disk.id for disk in self.stations.disks.model.chosen}:
            self.model.open(plan, is_anew=False)
            then()
        else:
            self.stations.guard.before(LeavingWay.OPEN, lambda: self._open_anew(plan, then))

    def judge(self, plan: Plan) -> None:
        """Show the plan of an array that exists."""
        to_plan = self.stations.to_plan
        self.stations.guard.before(LeavingWay.OPEN, lambda: self._open_anew(plan, to_plan, judged=plan.name))

    def _open_anew(self, plan: Plan, then: Callable[[], object], judged: str = "") -> None:
        self.stations.disks.model.choose_members(whole_disks(plan.top), is_judged=bool(judged))
        self.model.open(plan, is_anew=True, judged=judged)
        then()

    def commands(self, assessment: Assessment, *, in_trial: bool = False) -> tuple[Command, ...]:
        """Return the plan's commands; for a built array without the removal of signatures.

        Nor while trials come and go on its disks (``in_trial``): those are their signatures.
        """
        build = self.stations.made_build
        if in_trial or (build is not None and build.phase is Phase.BUILT):
            return assessment.commands
        names = build.removals.names if build is not None else {}
        return (*removal_commands(assessment.plan, self.model.disks, names), *assessment.commands)
