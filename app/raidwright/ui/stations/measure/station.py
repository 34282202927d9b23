"""The Measure station: workloads, and the runs that are kept."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainterPath

from raidwright.core.messages import say
from raidwright.ui.station import StationKind


def _icon() -> QPainterPath:
    path = QPainterPath(QPointF(2.5, 10))
    path.cubicTo(5, 2, 7.5, 2, 10, 10)
    path.cubicTo(12.5, 18, 15, 18, 17.5, 10)
    return path


STATION = StationKind(say("Measure"), _icon, "raidwright.ui.stations.measure.parts:MeasureParts", shows_command=False)
