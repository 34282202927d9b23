"""The Arrays station: the machine's arrays."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from raidwright.core.messages import say
from raidwright.machine.values import Snapshot
from raidwright.ui.station import StationKind
from raidwright.ui.widgets.icons import strokes

SYNCHRONISING = frozenset({"resync", "recover", "reshape"})  # of md; kernel Documentation/admin-guide/md.rst


def _icon() -> QPainterPath:
    path = QPainterPath()
    for top in (2.5, 8.0, 13.5):
        path.addRoundedRect(QRectF(2.5, top, 15, 4), 1.2, 1.2)
        path.addPath(strokes(((5.5, top + 2), (10.5, top + 2))))
        path.addEllipse(QPointF(14.2, top + 2), 0.5, 0.5)
    return path


def _minds(snapshot: Snapshot) -> bool:
    arrays = snapshot.arrays
    return any(array.degraded or array.lacks or array.sync_action in SYNCHRONISING for array in arrays)


STATION = StationKind(
    say("Arrays"),
    _icon,
    "raidwright.ui.stations.arrays.parts:ArraysParts",
    minds=_minds,
    shows_command=False,
)
