"""The choice of bands: arrays on slices of disks of unlike sizes, joined, and what they keep."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from raidwright.analysis.likeness import shape
from raidwright.core.lvm.bands import MAX_TOLERANCE
from raidwright.core.lvm.whole_disks import keeps_copies, tolerance_of
from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import ntr, tr
from raidwright.ui.widgets.segmented import Choice, Segmented

from . import edits
from .model import PlanModel


class BandChoices(QObject):
    """The controls, edited through the PlanModel: how many failures all bands survive, and by parity or copies."""

    def __init__(self, model: PlanModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.tolerance = Segmented("bands", tr("Bands"))
        self.tolerance.chosen.connect(self._choose_tolerance)
        self.kept_by = Segmented("kept-by", tr("Kept by"))
        self.kept_by.chosen.connect(self._choose_kept_by)

    def show_plan(self, plan: Plan) -> Iterator[tuple[QWidget, bool]]:
        """Show ``plan``; yield each control, and whether it applies.

        Bands apply where the disks are so unlike that they use more of them.
        """
        pool, now = self._model.pool, tolerance_of(plan.volume) if plan.volume else 0
        # By copies there is a plan for every tolerance that parity has one for.
        copies = {count: edits.joined(plan, pool, count, copies=True) for count in range(1, MAX_TOLERANCE + 1)}
        too_few = tr("That takes more disks of unlike sizes than these.")
        choices = [
            Choice(
                str(count),
                str(count),
                "" if banded is not None else too_few,
                ntr("Any {count} disk may fail.", "Any {count} disks may fail.", count),
            )
            for count, banded in copies.items()
        ]
        self.tolerance.show_choices([Choice("", tr("none")), *choices], str(now or ""))
        yield self.tolerance, plan.volume is not None or any(banded is not None for banded in copies.values())
        by_parity, by_copies = edits.joined(plan, pool, now) if now else None, copies.get(now)
        differs = by_parity and by_copies and shape(by_parity.top) != shape(by_copies.top)
        ways = (Choice("parity", tr("parity")), Choice("copies", tr("copies")))
        self.kept_by.show_choices(ways, "copies" if plan.volume and keeps_copies(plan.volume) else "parity")
        yield self.kept_by, bool(differs)

    @Slot(str)
    def _choose_tolerance(self, tolerance: str) -> None:
        volume = self._model.draft.plan.volume if self._model.draft.plan is not None else None
        self._model.choose_bands(int(tolerance or 0), copies=volume is not None and keeps_copies(volume))

    @Slot(str)
    def _choose_kept_by(self, way: str) -> None:
        volume = self._model.draft.plan.volume if self._model.draft.plan is not None else None
        if volume is not None:
            self._model.choose_bands(tolerance_of(volume), copies=way == "copies")
