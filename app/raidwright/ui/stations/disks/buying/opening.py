"""The page for planning a purchase in a window: the disks on it are planned as if they were there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raidwright.ui.station import Station

from .model import BuyingModel, Pool
from .page import BuyingPage

if TYPE_CHECKING:
    from raidwright.ui.stations.disks.parts import DisksParts


def buying_page(parts: DisksParts) -> BuyingPage:
    """Return the page that takes the place of the disks in ``parts``."""
    stations, disks = parts.stations, parts.model
    model = BuyingModel(stations.session, stations.ground)

    def plan_pool(pool: Pool) -> None:
        parts.page.show_page(None)  # the rail shows the disks again
        disks.prices = dict(pool.wanted.prices)
        disks.imagine(pool.disks)
        if pool.best is not None:
            stations.plan.model.take_best(pool.best.prepared.plan, must_survive=pool.best.asked)
        stations.wanted.emit(Station.PLAN)

    disks.chosen_changed.connect(model.take_chosen)
    model.take_chosen(disks.chosen)
    model.wanted.connect(plan_pool)
    page = BuyingPage(model, stations.settings)
    page.back_wanted.connect(lambda: parts.page.show_page(None))
    return page
