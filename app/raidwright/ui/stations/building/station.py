"""The Build station: review, confirm, build."""

from __future__ import annotations

from PySide6.QtGui import QPainterPath

from raidwright.core.messages import say
from raidwright.ui.station import StationKind
from raidwright.ui.widgets.icons import strokes


def _icon() -> QPainterPath:
    path = QPainterPath()
    path.moveTo(10, 2.5)
    for x, y in ((17.5, 6.2), (10, 9.9), (2.5, 6.2)):
        path.lineTo(x, y)
    path.closeSubpath()
    path.addPath(strokes(((2.5, 10), (10, 13.7), (17.5, 10)), ((2.5, 13.8), (10, 17.5), (17.5, 13.8))))
    return path


STATION = StationKind(
    say("Build"),
    _icon,
    "raidwright.ui.stations.building.parts:BuildParts",
    leftovers="raidwright.ui.stations.building.interrupted.words:told",
    says_planning_only=True,
)
