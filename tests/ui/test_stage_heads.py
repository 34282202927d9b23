"""Titles above the stage's columns: whole in every font and language, however narrow the columns are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication
from raidwright.analysis.assessment import assess
from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.colours import LIGHT
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.reading.pool import imagined_members, parse_pool
from raidwright.text import catalogue
from raidwright.ui import theme
from raidwright.ui.stations.plan.stage import picture as picture_module
from raidwright.ui.stations.plan.stage.columns import columns_of
from raidwright.ui.stations.plan.stage.picture import PicturePainter
from raidwright.ui.stations.plan.stage.stage import PlanStage

from tests.pages.fitting import Drawn, overheard

_SPACING_PERCENT = (100, 110, 140)  # Inter 4.1 is a few percent wider than Inter 3.19


@pytest.fixture(params=["en", "ja"])
def spoken(request: pytest.FixtureRequest) -> Iterator[str]:
    catalogue.choose([request.param])
    yield request.param
    catalogue.choose(["en"])


def _drawn(disks: int, width: int, failed: frozenset[int], absent: int) -> list[Drawn]:
    members = imagined_members(parse_pool(f"{disks}x8TB"))
    plan = Plan(MdArray(Level.RAID6, members))
    stage = PlanStage()
    stage.resize(width, 420)
    stage.show_layout(geometry_of(plan), columns_of(assess(plan), frozenset({members[absent].id})))
    assert stage.picture is not None
    image = QImage(width, 420, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painting = PicturePainter(painter, stage.picture, LIGHT, 1.0)
    with overheard() as drawn:
        painting.paint_columns()
        for slot in failed:
            painting._paint_column(slot, failed=True)
    painter.end()
    return drawn


@pytest.mark.parametrize("percent", _SPACING_PERCENT)
@pytest.mark.parametrize("disks", [4, 7, 12])
def test_a_title_fits_over_its_column(
    dressed: QApplication, spoken: str, monkeypatch: pytest.MonkeyPatch, percent: int, disks: int
) -> None:
    def wider(pixels: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        face = QFont(theme.font(pixels, weight))
        face.setLetterSpacing(QFont.SpacingType.PercentageSpacing, percent)
        return face

    monkeypatch.setattr(picture_module, "font", wider)
    for width in range(320, 1000, 59):
        drawn = _drawn(disks, width, frozenset({1, disks - 1}), absent=2)
        assert [one.text for one in drawn if one.is_clipped and width / disks > 30] == [], width
        assert drawn
