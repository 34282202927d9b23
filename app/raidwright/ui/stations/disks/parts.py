"""The Disks station in a window: its choice is planned, measured, or bought."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from raidwright.core.model.disk import Disk
from raidwright.lazy import Lazy
from raidwright.text.catalogue import tr
from raidwright.ui.phase import Phase
from raidwright.ui.station import Stake, Station, StationParts, stake_of_measuring

from .gone import absent, say_gone
from .model import DisksModel
from .page import DisksStation

if TYPE_CHECKING:
    from .buying.page import BuyingPage
    from .measuring import DiskMeasuring


class DisksParts(StationParts[DisksStation]):
    """The station's parts."""

    @Lazy
    def model(self) -> DisksModel:
        """The machine's disks, and the choice."""
        stations, model = self.stations, DisksModel(self.stations, self.stations.session)
        model.chosen_changed.connect(self._plan_on)
        model.place_taken.connect(self._put_in_place)
        for changed in (model.changed, stations.drafted, stations.phase_changed):
            changed.connect(self.say_gone)
        return model

    def make_page(self) -> DisksStation:
        """Make the page, and join it to the Plan station."""
        page = DisksStation(self.model, self.stations.ground)
        page.next_wanted.connect(lambda: self.stations.wanted.emit(Station.PLAN))
        page.buying_wanted.connect(lambda: page.show_page(self._buying))
        self.stations.drafted.connect(page.show_draft)
        return page

    @Lazy
    def measuring(self) -> DiskMeasuring:
        """Measurements of single disks, shown below the disks."""
        from .measuring import DiskMeasuring  # noqa: PLC0415 -- imports numpy; the window is shown before

        model = DiskMeasuring(self.stations.session, self.stations)
        self.stations.desktop.follow(
            model.job, model.job.done, lambda: tr("The disks are measured"), lambda: model.said
        )
        self.page.measuring.follow(model)
        return model

    def stakes(self) -> Iterable[Stake]:
        """Return the work that leaving would lose."""
        measuring = DisksParts.measuring.made(self)
        return stake_of_measuring(measuring.job) if measuring is not None else ()

    def say_gone(self) -> None:
        """Show the notice on missing disks, except during a build or a shoot-out, when the disks come into use."""
        stations = self.stations
        is_ours = stations.phase is not Phase.REVIEW or stations.is_proving
        say_gone(stations.notices, self.model, lambda: stations.plan.model.draft, self._seek_another, is_ours=is_ours)
        if (plan := stations.made_plan) is not None:
            plan.mark_absent(*absent(self.model, is_ours=is_ours))

    def _seek_another(self) -> None:
        self.model.seek_another()
        self.stations.wanted.emit(Station.DISKS)

    def _plan_on(self, disks: tuple[Disk, ...]) -> None:
        self.stations.plan.model.set_disks(disks)
        self.measuring.take_chosen(disks)

    def _put_in_place(self, gone: str, disk: Disk) -> None:
        self.stations.plan.model.put_in_place(gone, disk)

    @Lazy
    def _buying(self) -> BuyingPage:
        from .buying.opening import buying_page  # noqa: PLC0415 -- imports numpy; the window is shown before

        return buying_page(self)
