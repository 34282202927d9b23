"""The Plan station: levels, layouts, chunks, findings and figures."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainterPath

from raidwright.core.messages import say
from raidwright.ui.station import StationKind


def _icon() -> QPainterPath:
    path = QPainterPath()
    for left in (2.5, 8.0, 13.5):
        for top in (3.0, 8.0, 13.0):
            path.addRoundedRect(QRectF(left, top, 4, 3.6), 0.8, 0.8)
    return path


STATION = StationKind(
    say("Plan"),
    _icon,
    "raidwright.ui.stations.plan.parts:PlanParts",
    leftovers="raidwright.ui.stations.plan.draft_kept:DraftKept",
)
