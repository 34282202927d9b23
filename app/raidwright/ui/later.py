"""What the start doesn't wait for, since it brings numpy: stations, documents, exports, made when asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from raidwright.core.model.plan import Plan
from raidwright.session import Session

from .exporting import Exporting
from .help.bug_report import BugReportDialog
from .help.reader import Reader
from .notices import Notices
from .rail import Rail, Station
from .settings.store import Settings
from .stations.build.model import BuildModel
from .stations.build.station import BuildStation
from .stations.buying.model import BuyingModel, Pool
from .stations.buying.page import BuyingPage
from .stations.disks.model import DisksModel
from .stations.disks.station import DisksStation
from .stations.plan.model import PlanModel
from .stations.plan.station import PlanStation
from .stations.prove.model import ProveModel
from .stations.prove.station import ProveStation
from .stations.repair.model import RepairModel
from .tour.guide import Guide


class Later:
    """Makes each for the stack of ``parent``; ``show`` brings another station into the window, and ``rail`` says which
    one is there.
    """

    def __init__(self, show: Callable[[Station], object], rail: Rail, parent: QWidget) -> None:
        self._show, self._rail, self._parent = show, rail, parent
        self._buying: BuyingPage | None = None
        self._guide: Guide | None = None

    @functools.cached_property
    def reader(self) -> Reader:
        """The documents, in a window of their own."""
        return Reader(self._parent.window())

    def exporting(
        self, session: Session, notices: Notices, plan: PlanModel, build: Callable[[], BuildModel | None]
    ) -> Exporting:
        """What writes ``plan``, and what ``build`` has made of it."""
        return Exporting(session, notices, plan, build, self._parent)

    def show_report(self, session: Session, window: QWidget) -> None:
        """Show what a bug report needs."""
        BugReportDialog(session, window).open()

    def show_buying(
        self, session: Session, disks: DisksModel, station: DisksStation, plan_pool: Callable[[Pool], object]
    ) -> None:
        """Put the page on disks that one might buy into the place of ``station``'s disks."""
        if self._buying is None:
            model = BuyingModel(session, self._parent)
            disks.chosen_changed.connect(model.take_chosen)
            model.take_chosen(disks.chosen)
            model.wanted.connect(lambda _pool: station.show_page(None))  # the rail leads to the disks again
            model.wanted.connect(plan_pool)
            self._buying = BuyingPage(model)
            self._buying.back_wanted.connect(lambda: station.show_page(None))
        station.show_page(self._buying)

    def tour(
        self,
        session: Session,
        disks: DisksModel,
        plan: PlanModel,
        build: BuildModel,
        repair: RepairModel,
        notices: Notices,
    ) -> Guide:
        """The guide of the tour in practice."""
        if self._guide is None:
            self._guide = Guide(session, disks, plan, build, repair, notices, self._parent)
            self._guide.practice_wanted.connect(disks.practise)
            self._guide.station_wanted.connect(self._show)
            self._guide.take_station(self._rail.station)
            self._rail.chosen.connect(self._guide.take_station)
        return self._guide

    def plan(self, model: PlanModel, settings: Settings) -> PlanStation:
        """The station Plan, which begins with the walk for whoever hasn't seen it."""
        station = PlanStation(model, self._parent, begins_with_walk=settings.wants_walk)
        station.walked.connect(settings.walked)
        station.next_wanted.connect(lambda: self._show(Station.BUILD))
        station.disks_wanted.connect(lambda: self._show(Station.DISKS))
        return station

    def prove_model(self, session: Session, plan: PlanModel) -> ProveModel:
        """What the station Prove shows."""
        return ProveModel(session, plan, self._parent)

    def prove(self, model: ProveModel, plan_winner: Callable[[Plan], object]) -> ProveStation:
        """The station Prove; ``plan_winner`` gets the plan that shall be built."""
        station = ProveStation(model, self._parent)
        station.next_wanted.connect(lambda: self._show(Station.BUILD))
        station.disks_wanted.connect(lambda: self._show(Station.DISKS))
        station.winner_wanted.connect(plan_winner)
        return station

    def build(self, model: BuildModel, repair: RepairModel) -> BuildStation:
        """The station Build."""
        station = BuildStation(model, repair, self._parent)
        station.plan_wanted.connect(lambda: self._show(Station.PLAN))
        station.measure_wanted.connect(lambda: self._show(Station.MEASURE))
        return station
