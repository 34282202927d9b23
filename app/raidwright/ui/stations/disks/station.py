"""The Disks station: choose the disks."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from raidwright.core.messages import say
from raidwright.ui.station import StationKind


def _icon() -> QPainterPath:
    path = QPainterPath()
    for top in (3.0, 11.0):
        path.addRoundedRect(QRectF(2.5, top, 15, 6), 1.5, 1.5)
        path.addEllipse(QPointF(14, top + 3), 0.6, 0.6)
    return path


STATION = StationKind(say("Disks"), _icon, "raidwright.ui.stations.disks.parts:DisksParts", says_planning_only=True)
