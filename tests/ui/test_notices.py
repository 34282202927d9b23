"""The notices of every station: the gravest first, updated in place, and removed when they no longer apply."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.text.shown import Note, Offer, Severity
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow


def _bars(whole: QWidget) -> list[str]:
    bars = [bar for bar in whole.findChildren(QFrame) if bar.objectName().endswith("-bar") and bar.isVisible()]
    return [bar.objectName() for bar in sorted(bars, key=lambda bar: bar.y())]


def _note(severity: Severity, *offers: Offer) -> Note:
    return Note(severity, "Mind", f"A matter that is {severity}.", offers=offers)


def test_the_gravest_matter_stands_first(window: MainWindow) -> None:
    notices = window.notices
    for severity in (Severity.INFO, Severity.BAD, Severity.WARN):
        notices.say(severity, _note(severity))
    QApplication.processEvents()
    assert _bars(notices) == ["bad-bar", "warn-bar", "info-bar"]
    notices.say("info", replace(_note(Severity.BAD), sentence="It has become worse."))
    notices.say("bad", None)
    QApplication.processEvents()
    assert set(_bars(notices)) == {"info-bar", "warn-bar"}
    assert _bars(notices)[0] == "info-bar"


def test_a_way_on_keeps_its_button_while_the_words_change(window: MainWindow, qtbot: QtBot) -> None:
    notices, taken = window.notices, list[str]()
    notices.say("matter", _note(Severity.WARN, Offer("leave", "Leave it out", lambda: taken.append("first"))))
    button = notices.findChild(QPushButton, "matter-leave")
    assert button is not None
    notices.say("matter", _note(Severity.WARN, Offer("leave", "Leave both out", lambda: taken.append("second"))))
    assert notices.findChild(QPushButton, "matter-leave") is button
    assert button.text() == "Leave both out"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert taken == ["second"]


def test_with_nothing_to_say_there_is_no_bar(window: MainWindow) -> None:
    notices = window.notices
    assert not notices.isVisible()
    notices.say("matter", _note(Severity.WARN))
    assert notices.isVisible()
    notices.say("matter", None)
    notices.say("never said", None)
    assert not notices.isVisible()


def test_a_notice_stands_at_every_station(window: MainWindow) -> None:
    window.notices.say("matter", _note(Severity.BAD))
    for station in Station:
        window.show_station(station)
        bar = window.findChild(QFrame, "matter-bar")
        assert bar is not None
        assert bar.isVisible()
        assert bar.accessibleName() == "Mind: A matter that is bad."
