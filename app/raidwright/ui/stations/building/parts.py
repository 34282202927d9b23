"""The Build station in a window: it builds the plan, and its array is measured, compared, or undone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.lazy import Lazy
from raidwright.text.catalogue import tr
from raidwright.ui.phase import Phase
from raidwright.ui.station import Loss, Stake, Station, StationParts

from .interrupted.model import InterruptedBuildsModel
from .model import BuildModel
from .page import BuildStation


class BuildParts(StationParts[BuildStation]):
    """The station's parts."""

    @property
    def interrupted(self) -> InterruptedBuildsModel:
        """Builds that left disks changed."""
        return cast(InterruptedBuildsModel, self.stations.leftovers(Station.BUILD))

    @Lazy
    def model(self) -> BuildModel:
        """The build, following the session and the plan."""
        stations, session, arrays = self.stations, self.stations.session, self.stations.arrays.model
        model = BuildModel(session, arrays.job, arrays.locating, stations)
        session.connection_changed.connect(model.take_connection)
        session.snapshot_changed.connect(model.take_snapshot)
        model.take_connection(session.connection)
        model.take_snapshot(session.snapshot)
        self._join_plan(model)
        model.phase_changed.connect(self.interrupted.look)  # a build that ended badly may have been interrupted
        model.look_wanted.connect(self.interrupted.look)
        self.interrupted.listed.connect(model.take_builds)
        stations.desktop.follow(model.job, model.built, lambda: tr("“{name}” is built", name=_name(model)))
        self._join_measure(model)
        model.built.connect(stations.disks.model.let_go)
        model.built.connect(lambda _result: stations.done.emit(Station.BUILD))
        return model

    def _join_plan(self, model: BuildModel) -> None:
        stations, plan, disks = self.stations, self.stations.plan.model, self.stations.disks.model
        model.take_draft(plan.draft)
        plan.changed.connect(model.take_draft)
        model.removals.changed.connect(lambda: stations.drafted.emit(plan.draft))
        model.phase_changed.connect(stations.take_phase)
        model.phase_changed.connect(plan.follow_build)
        model.undone.connect(lambda undone: disks.choose_members(whole_disks(undone.top)))
        model.left.connect(lambda: plan.set_disks(disks.chosen))

    def _join_measure(self, model: BuildModel) -> None:
        measure = self.stations.measure.model
        model.built.connect(measure.prefer)
        model.built.connect(lambda _result: model.take_runs(measure.runs))
        measure.runs_changed.connect(lambda: model.take_runs(measure.runs))
        model.trial_wanted.connect(self._compare_trial)
        measure.changed.connect(lambda: model.take_measuring(measure.job.is_busy))

    def make_page(self) -> BuildStation:
        """Make the page."""
        stations, wanted = self.stations, self.stations.wanted
        page = BuildStation(self.model, stations.plan.alike, stations.arrays.alerts, stations.ground)
        page.disks_wanted.connect(lambda: wanted.emit(Station.DISKS))
        page.plan_wanted.connect(lambda: wanted.emit(Station.PLAN))
        page.measure_wanted.connect(lambda: wanted.emit(Station.MEASURE))
        return page

    def stakes(self) -> Iterable[Stake]:
        """Return the build, or what is done to its array; waiting for a password is a mere request."""
        build = self.stations.made_build
        if build is None:
            return
        if build.is_asking:
            words = tr("The helper waits for your password. The question is withdrawn, and nothing is built.")
            yield Stake(Loss.REQUEST, words)
        elif build.phase is Phase.BUILDING:
            yield Stake(Loss.CHANGE, tr("“{name}” is being built", name=_name(build)))
        elif build.is_undoing or build.next_steps.job.is_busy:
            yield Stake(Loss.CHANGE, tr("Something is being done to an array"))

    def _compare_trial(self) -> None:
        built = self.model.built_array
        if built is not None:
            self.stations.measure.measure(built.result.uuid)
            self.stations.measure.model.compare_trial()


def _name(model: BuildModel) -> str:
    return model.draft.plan.name if model.draft.plan else ""
