"""Lazily created parts, since they import numpy: stations, documents, exports."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from raidwright.core.model.plan import Plan
from raidwright.lazy import Lazy
from raidwright.session import Session
from raidwright.text.reports.shopping_list import Prices

from .alerts.model import AlertsModel
from .exporting import Exporting
from .help.bug_report import BugReportDialog
from .help.reader import HelpReader
from .imagined.practice_alike import PracticeAlike
from .leaving import Guard, LeavingWay
from .models import Models
from .notices import Notices
from .rail import Rail, Station
from .settings.store import SettingsStore
from .stations.arrays.page import ArraysStation
from .stations.arrays.repair.model import RepairModel
from .stations.building.model import BuildModel
from .stations.building.page import BuildStation
from .stations.disks.buying.model import BuyingModel, Pool
from .stations.disks.buying.page import BuyingPage
from .stations.disks.model import DisksModel
from .stations.disks.page import DisksStation
from .stations.measure.model import MeasureModel
from .stations.plan.model import PlanModel
from .stations.plan.page import PlanStation
from .stations.prove.model import ProveModel
from .stations.prove.page import ProveStation
from .tour.guide import Guide


class Later:
    """Factory of parts for the stack of ``parent``.

    ``show`` switches to a station, and ``rail`` has the present one.
    """

    def __init__(self, show: Callable[[Station], object], rail: Rail, parent: QWidget) -> None:
        self._show, self._rail, self._parent = show, rail, parent
        self._buying: BuyingPage | None = None
        self._guide: Guide | None = None

    @Lazy
    def reader(self) -> HelpReader:
        """Return the documents' window."""
        return HelpReader(self._parent.window())

    def exporting(
        self,
        session: Session,
        notices: Notices,
        plan: PlanModel,
        build: Callable[[], BuildModel | None],
        disks: DisksModel,
        settings: SettingsStore,
    ) -> Exporting:
        """Return the export of ``plan``, of the array that ``build`` created, and of what ``disks`` cost."""

        def prices() -> Prices:
            return Prices(disks.prices, settings.currency)

        return Exporting(session, notices, plan, build, prices, self._parent)

    def alike(
        self, session: Session, disks: DisksModel, guard: Guard, show_list: Callable[[], object]
    ) -> PracticeAlike:
        """Return the move to a practice machine with disks like ``disks``."""
        alike = PracticeAlike(session, disks, lambda go: guard.before(LeavingWay.TURN, go), self._parent)
        alike.list_wanted.connect(show_list)
        return alike

    def show_report(self, session: Session, window: QWidget) -> None:
        """Show the bug report dialog."""
        BugReportDialog(session, window).open()

    def show_buying(
        self,
        session: Session,
        disks: DisksModel,
        station: DisksStation,
        plan: Callable[[], PlanModel],
        settings: SettingsStore,
    ) -> None:
        """Replace the disks of ``station`` by the page for planning a purchase."""

        def plan_pool(pool: Pool) -> None:
            disks.prices = dict(pool.wanted.prices)
            disks.imagine(pool.disks)
            if pool.best is not None:
                plan().take_best(pool.best.prepared.plan, must_survive=pool.best.asked)
            self._show(Station.PLAN)

        if self._buying is None:
            model = BuyingModel(session, self._parent)
            disks.chosen_changed.connect(model.take_chosen)
            model.take_chosen(disks.chosen)
            model.wanted.connect(lambda _pool: station.show_page(None))  # the rail shows the disks again
            model.wanted.connect(plan_pool)
            self._buying = BuyingPage(model, settings)
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
        """Return the guide of the tour in practice."""
        if self._guide is None:
            self._guide = Guide(session, disks, plan, build, repair, notices, self._parent)
            self._guide.practice_wanted.connect(disks.practise)
            self._guide.station_wanted.connect(self._show)
            self._guide.take_station(self._rail.station)
            self._rail.chosen.connect(self._guide.take_station)
        return self._guide

    def plan(self, model: PlanModel, settings: SettingsStore) -> PlanStation:
        """Return the Plan station, which starts with the walk for new users."""
        station = PlanStation(model, self._parent, begins_with_walk=settings.wants_walk)
        station.walked.connect(settings.walked)
        station.next_wanted.connect(lambda: self._show(Station.BUILD))
        station.disks_wanted.connect(lambda: self._show(Station.DISKS))
        return station

    def prove_model(self, session: Session, plan: PlanModel) -> ProveModel:
        """Return the Prove station's model."""
        return ProveModel(session, plan, self._parent)

    def prove(self, model: ProveModel, alike: PracticeAlike, plan_winner: Callable[[Plan], object]) -> ProveStation:
        """Return the Prove station; ``plan_winner`` gets the plan to build."""
        station = ProveStation(model, alike, self._parent)
        station.next_wanted.connect(lambda: self._show(Station.BUILD))
        station.disks_wanted.connect(lambda: self._show(Station.DISKS))
        station.winner_wanted.connect(plan_winner)
        return station

    def arrays(self, models: Models, session: Session, judge: Callable[[Plan], object]) -> ArraysStation:
        """Return the Arrays station; ``judge`` gets the plan of an array that is judged."""
        station = ArraysStation(models.arrays, models.repair, models.alerts, session, self._parent)
        station.disks_wanted.connect(lambda: self._show(Station.DISKS))
        station.prove_wanted.connect(lambda: self._show(Station.PROVE))
        models.arrays.judged.connect(judge)
        return station

    def measure(self, model: MeasureModel, session: Session) -> QWidget:
        """Return the Measure station."""
        from .stations.measure.page import MeasureStation  # noqa: PLC0415 -- imports pyqtgraph

        station = MeasureStation(model, session, self._parent)
        station.build_wanted.connect(lambda: self._show(Station.BUILD))
        return station

    def build(self, model: BuildModel, alike: PracticeAlike, alerts: AlertsModel) -> BuildStation:
        """Return the Build station."""
        station = BuildStation(model, alike, alerts, self._parent)
        station.disks_wanted.connect(lambda: self._show(Station.DISKS))
        station.plan_wanted.connect(lambda: self._show(Station.PLAN))
        station.measure_wanted.connect(lambda: self._show(Station.MEASURE))
        return station
