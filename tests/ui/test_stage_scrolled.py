"""A scrolled stage equals one painted anew there, pixel for pixel, at each scale."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication
from raidwright.analysis.assessment import assess
from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.colours import LIGHT
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.reading.pool import imagined_members, parse_pool
from raidwright.ui.stations.plan.stage.columns import columns_of
from raidwright.ui.stations.plan.stage.healthy_layer import HealthyLayer
from raidwright.ui.stations.plan.stage.picture import PicturePainter, StagePicture
from raidwright.ui.stations.plan.stage.stage import PlanStage

_ROUNDING = 3  # of 255: where a soft edge overlaps another, once in a layer and once without
_DISKS = imagined_members(parse_pool("8x8TB"))
PLANS = {
    "raid5": Plan(MdArray(Level.RAID5, _DISKS)),
    "far": Plan(MdArray(Level.RAID10, _DISKS, layout="f2")),
    "raid60": Plan(MdArray(Level.RAID0, (MdArray(Level.RAID6, _DISKS[:4]), MdArray(Level.RAID6, _DISKS[4:])))),
}


def _image(picture: StagePicture, ratio: float) -> QImage:
    image = QImage(
        round(picture.layout.width * ratio), round(picture.layout.height * ratio), QImage.Format.Format_ARGB32
    )
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    return image


def _scrolled(layer: HealthyLayer, picture: StagePicture, ratio: float) -> QImage:
    image = _image(picture, ratio)
    painter = QPainter(image)
    layer.paint(painter, picture, LIGHT, ratio)
    painter.end()
    return image


def _anew(picture: StagePicture, ratio: float) -> QImage:
    return _scrolled(HealthyLayer(), picture, ratio)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("name", PLANS)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.integers(-40, 200_000), min_size=1, max_size=6))
def test_wherever_it_is_scrolled_to(dressed: QApplication, name: str, ratio: float, steps: list[int]) -> None:
    stage, layer, plan = PlanStage(), HealthyLayer(), PLANS[name]
    stage.resize(700, 420)
    stage.show_layout(geometry_of(plan), columns_of(assess(plan)))
    for step in steps:
        stage.scroll_to(stage.first + step)
        assert stage.picture is not None
        assert _scrolled(layer, stage.picture, ratio) == _anew(stage.picture, ratio), step


def test_a_layer_of_pixmaps_is_what_the_picture_itself_paints(dressed: QApplication) -> None:
    stage, plan = PlanStage(), PLANS["far"]
    stage.resize(700, 420)
    stage.show_layout(geometry_of(plan), columns_of(assess(plan)))
    assert stage.picture is not None
    image = _image(stage.picture, 1.0)
    painter = QPainter(image)
    PicturePainter(painter, stage.picture, LIGHT, 1.0).paint_healthy()
    painter.end()
    differ = np.abs(_values(_anew(stage.picture, 1.0)) - _values(image))
    assert differ.max() <= _ROUNDING


def _values(image: QImage) -> NDArray[np.int64]:
    """Return each pixel's four values, 0 to 255."""
    return np.frombuffer(image.constBits(), dtype=np.uint8).astype(np.int64)
