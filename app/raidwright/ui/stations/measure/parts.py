"""The Measure station in a window."""

from __future__ import annotations

from collections.abc import Iterable

from raidwright.lazy import Lazy
from raidwright.text.catalogue import tr
from raidwright.ui.station import Stake, Station, StationParts, stake_of_measuring

from .model import MeasureModel
from .page import MeasureStation


class MeasureParts(StationParts[MeasureStation]):
    """The station's parts."""

    @Lazy
    def model(self) -> MeasureModel:
        """Measurements, following the session."""
        stations, session = self.stations, self.stations.session
        model = MeasureModel(session, stations)
        stations.desktop.follow(model.job, model.job.done, lambda: tr("The measurement is done"))
        session.snapshot_changed.connect(model.take_snapshot)
        model.take_snapshot(session.snapshot)
        model.ended.connect(stations.build.interrupted.look)  # undo may be impossible after a write
        model.kept.connect(lambda _run: stations.done.emit(Station.MEASURE))
        model.kept.connect(lambda _run: stations.arrays.model.look_at_runs())
        return model

    def make_page(self) -> MeasureStation:
        """Make the page."""
        page = MeasureStation(self.model, self.stations.session, self.stations.ground)
        page.build_wanted.connect(lambda: self.stations.wanted.emit(Station.BUILD))
        return page

    def stakes(self) -> Iterable[Stake]:
        """Return the measurement, if one runs."""
        model = MeasureParts.model.made(self)
        return stake_of_measuring(model.job) if model is not None else ()

    def measure(self, uuid: str) -> None:
        """Ask for the station, with the array of ``uuid`` chosen."""
        self.model.prefer_array(uuid)
        self.stations.wanted.emit(Station.MEASURE)
