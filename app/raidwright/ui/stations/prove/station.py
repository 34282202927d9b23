"""The Prove station: a shoot-out of layouts on the disks."""

from __future__ import annotations

from PySide6.QtGui import QPainterPath

from raidwright.core.messages import say
from raidwright.ui.station import StationKind
from raidwright.ui.widgets.icons import strokes


def _icon() -> QPainterPath:
    path = strokes(((10, 3), (10, 16.5)), ((6, 16.5), (14, 16.5)), ((3.5, 5.5), (16.5, 5.5)))
    for middle in (4.2, 15.8):
        path.addPath(strokes(((middle, 5.5), (middle - 2.2, 11), (middle + 2.2, 11), (middle, 5.5))))
    return path


STATION = StationKind(
    say("Prove"),
    _icon,
    "raidwright.ui.stations.prove.parts:ProveParts",
    leftovers="raidwright.ui.stations.prove.left_over:told",
)
