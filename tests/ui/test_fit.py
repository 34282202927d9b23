"""Nothing is cut off at the smallest size, nor on a screen of 1080 lines at 150 %; hidden content is indicated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QAbstractSlider,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from raidwright.ui.station import Station
from raidwright.ui.stations.plan.choices import Choices
from raidwright.ui.stations.plan.details import DetailsPage
from raidwright.ui.widgets.scrolling import ScrollArea
from raidwright.ui.window import MainWindow

from tests.kit import sample
from tests.kit.pictures import still_window
from tests.pages.fitting import cut_off_by, is_squeezed, shown

from . import places
from .places import PLACES, plan, settle

# At the smallest size everywhere; stations with another arrangement, with little height alone, too.
SEEN = [(go, (1024, 700)) for go in PLACES]
SEEN += [(go, (1280, 720)) for go in (places.disks, places.replay, places.groups, places.loss, places.measured)]
_RAIL = 76  # wide
_ALWAYS_THERE = ("undo-button", "redo-button", "machine-pill")
_WITH_COMMAND = ("command-copy", "command-export")  # where something is planned


@pytest.fixture
def window(qtbot: QtBot, dressed: QApplication) -> Iterator[MainWindow]:
    made = still_window()
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close()


def _is_whole(widget: QWidget) -> bool:
    return widget.visibleRegion().boundingRect() == widget.rect()


def _look_at_all(window: MainWindow) -> None:
    """Visit the stations with nothing chosen, as a newcomer does: they are created empty then."""
    for station in Station:
        window.show_station(station)
        settle()


@pytest.mark.drawn
@pytest.mark.parametrize(("go", "size"), SEEN, ids=[f"{go.__name__}-{size[0]}x{size[1]}" for go, size in SEEN])
def test_nothing_is_cut_off(window: MainWindow, go: Callable[[MainWindow], None], size: tuple[int, int]) -> None:
    window.resize(*size)
    go(window)
    settle()
    assert window.size() == QSize(*size)
    _nothing_is_cut(window)


@pytest.mark.drawn
@pytest.mark.parametrize("go", PLACES, ids=[go.__name__ for go in PLACES])
def test_nothing_is_cut_off_of_what_was_made_empty(window: MainWindow, go: Callable[[MainWindow], None]) -> None:
    _look_at_all(window)
    go(window)
    settle()
    _nothing_is_cut(window)


def _nothing_is_cut(window: MainWindow) -> None:
    kinds = (QPushButton, QToolButton, QLineEdit, QComboBox, QAbstractSlider, QLabel)
    seen = [one for one in shown(window, *kinds) if not isinstance(one.parent(), QComboBox)]
    assert len(seen) > 9
    for one in seen:
        said = one.objectName() or getattr(one, "text", str)()
        by = cut_off_by(one)
        assert by is None, (said, one.geometry(), by)
        assert not is_squeezed(one), (said, one.geometry(), one.minimumSizeHint())
    stations = window.findChild(QStackedWidget, "stations")
    assert stations is not None
    assert stations.minimumSizeHint().width() <= window.width() - _RAIL  # scrolling is only for smaller screens
    primary = [one for one in shown(window, QPushButton) if one.property("kind") == "primary"]
    always = [one for one in shown(window, QPushButton, QToolButton) if one.objectName() in _ALWAYS_THERE]
    assert len(always) == len(_ALWAYS_THERE)
    commands = [one for one in shown(window, QPushButton) if one.objectName() in _WITH_COMMAND]
    assert len(commands) in (0, len(_WITH_COMMAND))
    for one in (*primary, *always, *commands):
        assert _is_whole(one), one.objectName()


@pytest.mark.parametrize("disks", [4, 24])
def test_choices_that_lie_below_are_shown_to_be_there(window: MainWindow, disks: int) -> None:
    window.disks.take_snapshot(sample.many_disks(disks))
    window.disks.choose_all()
    window.resize(1024, 700)
    window.show_station(Station.PLAN)
    settle()
    fold, choices = window.findChild(QPushButton, "rare-choices"), window.findChild(Choices)
    assert fold is not None
    assert choices is not None
    fold.setChecked(True)
    settle()
    area = choices.parentWidget()
    while not isinstance(area, ScrollArea):
        assert area is not None
        area = area.parentWidget()
    bar = area.verticalScrollBar()
    assert bar.maximum() > 0
    assert area.shows_more
    bar.setValue(bar.maximum())
    assert not area.shows_more
    settle()
    last = window.findChild(QWidget, "metadata")
    assert last is not None
    assert _is_whole(last)


def test_the_reasons_of_a_plan_lie_below_each_other(window: MainWindow) -> None:
    """The page gets its height while it is hidden, and its lines their own."""
    window.resize(1366, 740)
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    settle()
    places.press(window, "usable-why")
    settle()
    page = window.findChild(DetailsPage)
    assert page is not None
    told = [line for line in page.findChildren(QLabel) if line.isVisible() and line.text() and line.wordWrap()]
    assert len(told) > 10
    assert all(line.height() >= line.heightForWidth(line.width()) for line in told)


def test_a_screen_smaller_than_the_window_is_scrolled(qtbot: QtBot, dressed: QApplication) -> None:
    """1080 lines at 200 %: 960 × 540, less the title bar and the desktop's own."""
    window = still_window()
    qtbot.addWidget(window)
    window.fit_into(QSize(960, 540))
    window.show()
    assert window.width() <= 960
    assert window.height() < 540
    plan(window)
    settle()
    assert window.width() <= 960
    for name in (*_ALWAYS_THERE, *_WITH_COMMAND):
        one = window.findChild(QWidget, name)
        assert one is not None
        assert _is_whole(one), name
    build = window.findChild(QPushButton, "plan-next")
    stations = window.findChild(QScrollArea, "stations-area")
    assert build is not None
    assert stations is not None
    stations.ensureWidgetVisible(build)
    settle()
    assert _is_whole(build)
    window.close_unasked()
