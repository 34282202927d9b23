"""The Prove station in a window: layouts of the chosen disks, of which the winner is planned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from raidwright.core.model.plan import Plan
from raidwright.lazy import Lazy
from raidwright.text.catalogue import tr
from raidwright.ui.station import Loss, Stake, Station, StationParts

from .left_over import LeftOver
from .model import ProveModel
from .page import ProveStation


class ProveParts(StationParts[ProveStation]):
    """The station's parts."""

    @property
    def left_over(self) -> LeftOver:
        """Scratch arrays that an earlier shoot-out left."""
        return cast(LeftOver, self.stations.leftovers(Station.PROVE))

    @Lazy
    def model(self) -> ProveModel:
        """The shoot-out, on the chosen disks and their plans."""
        stations, disks, plan = self.stations, self.stations.disks, self.stations.plan.model
        model = ProveModel(stations.session, plan, stations)
        plan.pool_changed.connect(model.offer)
        plan.changed.connect(model.take_draft)
        stations.desktop.follow(model.job, model.job.done, lambda: tr("The shoot-out is done"))
        disks.model.chosen_changed.connect(model.take_disks)
        model.take_disks(disks.model.chosen)
        model.changed.connect(disks.say_gone)
        model.job.ended.connect(self.left_over.look)
        model.job.ended.connect(stations.measure.model.load_runs)  # those of the shoot-out
        model.job.done.connect(lambda _found: stations.done.emit(Station.PROVE))
        return model

    def make_page(self) -> ProveStation:
        """Make the page."""
        wanted = self.stations.wanted
        page = ProveStation(self.model, self.stations.plan.alike, self.stations.ground)
        page.next_wanted.connect(lambda: wanted.emit(Station.BUILD))
        page.disks_wanted.connect(lambda: wanted.emit(Station.DISKS))
        page.winner_wanted.connect(self._plan_winner)
        return page

    def stakes(self) -> Iterable[Stake]:
        """Return the shoot-out, if one runs."""
        if self.stations.is_proving:
            words = tr("A shoot-out runs. It is stopped, and what it built on the disks is taken away.")
            yield Stake(Loss.SHOOTOUT, words)

    def _plan_winner(self, plan: Plan) -> None:
        self.stations.plan.model.take_measured(plan)
        self.stations.wanted.emit(Station.BUILD)
