"""The tokens: readable on every background, in both schemes."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QRadioButton
from pytestqt.qtbot import QtBot
from raidwright.colours import DARK, LIGHT, STRIPES, Tokens, contrast, ink_on, mix
from raidwright.resources import resource
from raidwright.ui import theme
from raidwright.ui.stations.plan.loss.chart import _colour
from raidwright.ui.stations.plan.loss.line import MAX_LINES

SCHEMES = pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])


def test_contrast_is_the_standards() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)  # the well-known near miss


@SCHEMES
def test_text_is_readable_on_every_ground_it_stands_on(scheme: Tokens) -> None:
    grounds = (scheme.ground, scheme.panel, scheme.sunken, scheme.rail)
    for ink, ground in itertools.product((scheme.text, scheme.dim), grounds):
        assert contrast(ink, ground) >= 4.5, (ink, ground)
    for ink in (scheme.accent, scheme.red):
        assert contrast(ink, scheme.panel) >= 4.5, ink
    assert contrast(scheme.on_accent, scheme.accent) >= 4.5
    assert contrast(scheme.text, scheme.accent_soft) >= 4.5
    assert contrast(scheme.dim, scheme.accent_soft) >= 4.5


@SCHEMES
def test_a_notice_and_a_link_are_readable(scheme: Tokens) -> None:
    for ground in (scheme.accent_soft, scheme.amber_soft, scheme.red_soft):
        for ink in (scheme.text, scheme.red, scheme.accent):
            assert contrast(ink, ground) >= 4.5, (ink, ground)
    for ink in (scheme.accent, scheme.accent_hover):
        for ground in (scheme.panel, scheme.ground, scheme.sunken, scheme.rail):
            assert contrast(ink, ground) >= 4.5, (ink, ground)
    assert contrast(scheme.on_accent, scheme.accent_hover) >= 4.5


@SCHEMES
def test_what_is_seen_by_its_edge_or_its_line_alone_can_be_seen(scheme: Tokens) -> None:
    """Fields, check boxes, sliders, scroll bars, the focus, and the lines of plots (WCAG 2.2, 1.4.11)."""
    grounds = (scheme.panel, scheme.ground, scheme.sunken)
    signs = (scheme.edge, scheme.dim, scheme.accent, scheme.green, scheme.amber, scheme.red, scheme.purple)
    for sign, ground in itertools.product(signs, grounds):
        assert contrast(sign, ground) >= 3.0, (sign, ground)
    for line in (_colour(place, scheme) for place in range(MAX_LINES)):
        assert contrast(line.name(), scheme.panel) >= 3.0, line.name()


@SCHEMES
@pytest.mark.parametrize("tone", ["accent", "green", "amber", "red", "purple"])
def test_badges_are_readable(scheme: Tokens, tone: str) -> None:
    assert contrast(getattr(scheme, tone), getattr(scheme, f"{tone}_soft")) >= 4.5


@SCHEMES
def test_cells_are_readable_in_every_stripe(scheme: Tokens) -> None:
    for stripe, share in itertools.product(STRIPES, (1.0, 0.55, 0.4)):
        ground = mix(stripe, scheme.panel, share)
        assert contrast(ink_on(ground), ground) >= 4.5, (stripe, share)
    for stripe in STRIPES:
        assert contrast(scheme.red, mix(stripe, scheme.red_soft, 0.16)) >= 3.0, stripe


@SCHEMES
def test_a_widget_finds_the_scheme_that_it_is_dressed_in(scheme: Tokens, dressed: QApplication) -> None:
    theme.apply(dressed, scheme)
    assert theme.tokens_for(dressed.palette()) is scheme


def test_the_window_has_an_icon_where_no_menu_entry_gives_one(dressed: QApplication) -> None:
    icon = QIcon(str(resource("icons/org.raidwright.Raidwright.svg")))
    assert all(not icon.pixmap(size).isNull() for size in (16, 48, 128))


@SCHEMES
def test_a_radio_button_that_is_off_can_be_seen(scheme: Tokens, dressed: QApplication, qtbot: QtBot) -> None:
    """It may choose the disk that is overwritten."""
    theme.apply(dressed, scheme)
    choice = QRadioButton("VK0ABCD1")
    qtbot.addWidget(choice)
    choice.setFixedSize(120, 24)
    choice.show()
    image = choice.grab().toImage()
    ground = image.pixelColor(image.width() - 1, 0).name()
    ring = (image.pixelColor(x, y).name() for x in range(16) for y in range(image.height()))
    assert max(contrast(ink, ground) for ink in ring) >= 3.0
