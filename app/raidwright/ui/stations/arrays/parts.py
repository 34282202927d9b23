"""The Arrays station in a window, with notices at every station on arrays that are degraded."""

from __future__ import annotations

from collections.abc import Iterable

from raidwright.lazy import Lazy
from raidwright.machine.values import Snapshot
from raidwright.text.catalogue import tr
from raidwright.ui.alerts.model import AlertsModel
from raidwright.ui.station import Loss, Stake, Station, StationParts

from .model import ArraysModel
from .page import ArraysStation
from .repair.bars import DegradedNotices
from .repair.model import RepairModel
from .synchronised import SynchronisedNotices


class ArraysParts(StationParts[ArraysStation]):
    """The station's parts."""

    @Lazy
    def model(self) -> ArraysModel:
        """The machine's arrays, and what is done to one of them."""
        stations, session = self.stations, self.stations.session
        model = ArraysModel(session, stations)
        session.connection_changed.connect(model.take_connection)
        session.snapshot_changed.connect(model.take_snapshot)
        model.take_connection(session.connection)
        model.take_snapshot(session.snapshot)
        model.measure_wanted.connect(lambda array: stations.measure.measure(array.uuid))
        return model

    @Lazy
    def repair(self) -> RepairModel:
        """The degraded arrays, with a notice at every station."""
        stations, session = self.stations, self.stations.session
        model = RepairModel(session, stations)
        DegradedNotices(model, stations.notices)
        session.connection_changed.connect(model.take_connection)
        model.take_connection(session.connection)
        model.take_snapshot(session.snapshot)
        model.opened.connect(lambda: stations.wanted.emit(Station.ARRAYS))
        return model

    @Lazy
    def alerts(self) -> AlertsModel:
        """Messages about failing disks: their receivers and tests."""
        return AlertsModel(self.stations.session, self.stations)

    @Lazy
    def _synchronised(self) -> SynchronisedNotices:
        return SynchronisedNotices(self.stations.desktop)

    def make_page(self) -> ArraysStation:
        """Make the page."""
        stations, wanted = self.stations, self.stations.wanted
        page = ArraysStation(self.model, self.repair, self.alerts, stations.session, stations.ground)
        page.disks_wanted.connect(lambda: wanted.emit(Station.DISKS))
        page.prove_wanted.connect(lambda: wanted.emit(Station.PROVE))
        self.model.judged.connect(stations.plan.judge)
        return page

    def see(self, snapshot: Snapshot) -> None:
        """Update the repair model, made once an array is degraded; not during a shoot-out, which fails disks."""
        is_proving, repair = self.stations.is_proving, ArraysParts.repair.made(self)
        self._synchronised.see(snapshot, is_proving=is_proving)
        if is_proving:
            return
        if repair is not None or any(array.degraded or array.lacks for array in snapshot.arrays):
            self.repair.take_snapshot(snapshot)

    def stakes(self) -> Iterable[Stake]:
        """Return what is done to an array now."""
        model = ArraysParts.model.made(self)
        if model is not None and model.job.is_busy:
            yield Stake(Loss.CHANGE, tr("Something is being done to an array"))
