"""The study of two channels as a picture: the rate by members, with the plateau and the dip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyqtgraph as pg
from pyqtgraph.exporters import ImageExporter

from .row import Row
from .two_channels import PUBLISHED, STUDY


def plot_of_members(rows: Sequence[Row], path: Path) -> Path:
    """Write it to ``path`` as PNG."""
    app = pg.mkQApp()
    plot = pg.PlotWidget(background="w", title="Reading, by members on two channels of 160 MB/s")
    plot.addLegend(offset=(-20, -20))
    plot.setLabel("bottom", "members")
    plot.setLabel("left", "MB/s")
    for level, colour in (("raid0", "#1f6fb4"), ("raid5", "#b4521f")):
        found = {
            int(row.what.split()[2].rstrip(",")): row.found
            for row in rows
            if row.study == STUDY and row.what.startswith(level)
        }
        plot.plot(list(found), list(found.values()), pen=pg.mkPen(colour, width=2), symbol="o", name=level)
    plot.plot(list(PUBLISHED), list(PUBLISHED.values()), pen=None, symbol="x", symbolBrush="k", name="raid0, 2004")
    plot.resize(900, 540)
    plot.setYRange(0, 400)
    app.processEvents()
    ImageExporter(plot.plotItem).export(str(path))
    return path
