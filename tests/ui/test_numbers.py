"""Decimal numbers as people write them: with a point or a comma, and never read as thousands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtTest import QTest
from raidwright.ui.widgets.inputs import DecimalBox


@pytest.fixture(params=["en", "de", "ja", "fr"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield request.param
    QLocale.setDefault(before)


@pytest.mark.parametrize("suffix", ["", " EUR"])
@pytest.mark.parametrize("typed", ["199,5", "199.5"])
def test_a_point_and_a_comma_are_the_decimal_sign(qapp: object, language: str, typed: str, suffix: str) -> None:
    box = DecimalBox()
    box.setMaximum(99_999)
    box.setSuffix(suffix)
    box.lineEdit().selectAll()
    QTest.keyClicks(box, typed)
    assert box.value() == 199.5


def test_a_sign_between_thousands_is_refused_as_it_is_typed(qapp: object, language: str) -> None:
    box = DecimalBox()
    box.setMaximum(99_999)
    box.lineEdit().selectAll()
    QTest.keyClicks(box, "1,995.50")
    assert box.value() == 1.99
    box.setValue(1995.5)
    assert box.text() in ("1995.50", "1995,50")
