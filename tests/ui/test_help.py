"""Offline help: F1 for the current station, every document readable, links, About with the licences."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAction, QColor, QDesktopServices
from PySide6.QtWidgets import QApplication, QCheckBox, QListWidget, QMenu, QMessageBox, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot
from raidwright import __version__
from raidwright.colours import DARK, LIGHT
from raidwright.operations.software import LookAtSoftware, Software
from raidwright.resources import document
from raidwright.text import catalogue
from raidwright.ui import theme
from raidwright.ui.help import documents
from raidwright.ui.help.bug_report import BugReportDialog
from raidwright.ui.help.documents import DOCUMENTS, Link
from raidwright.ui.help.page import Page, blocks, is_heading
from raidwright.ui.help.reader import HelpReader
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (propagateSizeHints|raise)")


def _act(window: MainWindow, name: str) -> None:
    action = window.findChild(QAction, name)
    assert action is not None
    action.trigger()


@pytest.fixture
def reader(window: MainWindow) -> HelpReader:
    _act(window, f"help-{documents.GUIDE}")
    found = window.findChild(HelpReader)
    assert found is not None
    return found


def _page(reader: HelpReader) -> Page:
    page = reader.findChild(Page)
    assert page is not None
    return page


def _title(reader: HelpReader) -> str:
    return _page(reader).document().begin().text()


@pytest.mark.parametrize("station", list(Station))
def test_f1_opens_the_page_of_the_station_at_hand(window: MainWindow, qtbot: QtBot, station: Station) -> None:
    window.show_station(station)
    qtbot.keyClick(window, Qt.Key.Key_F1)
    reader = window.findChild(HelpReader)
    assert reader is not None
    assert reader.isVisible()
    number = list(Station).index(station) + 1
    assert _title(reader) == f"{number} · {station.capitalize()}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_document_is_read_as_it_is_meant(reader: HelpReader, name: str) -> None:
    reader.show_document(Link(name))
    page = _page(reader)
    said = page.toPlainText()
    assert is_heading(page.document().begin())
    assert "](" not in said
    assert "```" not in said
    assert "\n| " not in said
    assert page.accessibleName()


def test_pictures_are_there_and_no_wider_than_words(reader: HelpReader) -> None:
    reader.show_document(Link("docs/guide/disks.md"))
    page = _page(reader)
    picture = page.loadResource(2, QUrl("../pictures/disks-light.png"))
    assert not picture.isNull()
    assert 0 < picture.deviceIndependentSize().width() <= 720
    assert not page.loadResource(2, "../pictures/architecture.svg").isNull()


@pytest.fixture
def in_japanese() -> Iterator[None]:
    catalogue.choose(["ja"])
    yield
    catalogue.choose(["en"])


@pytest.mark.usefixtures("in_japanese")
def test_it_speaks_the_language_of_the_window_and_english_where_that_lacks_a_page(window: MainWindow) -> None:
    _act(window, "help-here")
    reader = window.findChild(HelpReader)
    assert reader is not None
    page = _page(reader)
    assert _title(reader) == "1 · ディスク"
    assert not page.loadResource(2, "../pictures/disks-light.png").isNull()
    page.anchorClicked.emit(QUrl("build.md#ディスクに何か入っているとき"))
    assert _title(reader) == "4 · 構築"
    assert page.verticalScrollBar().value() > 0
    reader.show_document(Link("docs/guide/index.md"))
    page.anchorClicked.emit(QUrl("../../command-line.md"))
    assert _title(reader) == "The command line"
    page.anchorClicked.emit(QUrl("guide/index.md"))
    assert _title(reader).startswith("ユーザーガイド")


def test_links_lead_on_and_back(reader: HelpReader, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    page, back = _page(reader), reader.findChild(QPushButton, "help-back")
    assert back is not None
    assert not back.isEnabled()
    page.anchorClicked.emit(QUrl("disks.md"))
    assert _title(reader) == "1 · Disks"
    page.anchorClicked.emit(QUrl("build.md#when-a-disk-holds-something"))
    assert _title(reader) == "4 · Build"
    heading = next(each for each in blocks(page.document()) if each.text() == "When a disk holds something")
    top = page.document().documentLayout().blockBoundingRect(heading).top()
    bar = page.verticalScrollBar()
    assert bar.value() == min(int(top), bar.maximum()) > 0
    listed = reader.findChild(QListWidget)
    assert listed is not None
    assert listed.currentItem().text() == "4 · Build"
    page.anchorClicked.emit(QUrl("https://example.org/"))
    page.anchorClicked.emit(QUrl("../examples/tank.json"))
    assert opened == ["https://example.org/", document("docs/examples/tank.json").as_uri()]
    for title in ("1 · Disks", "User guide: from first disks to a monitored array"):
        qtbot.mouseClick(back, Qt.MouseButton.LeftButton)
        assert _title(reader) == title
    assert not back.isEnabled()


def test_a_document_is_chosen_from_the_list(reader: HelpReader) -> None:
    listed = reader.findChild(QListWidget)
    assert listed is not None
    assert listed.count() == len(DOCUMENTS)
    listed.setCurrentRow(list(DOCUMENTS).index("SECURITY.md"))
    assert _title(reader) == "Security"


def test_it_follows_the_scheme(reader: HelpReader) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    reader.show_document(Link("docs/command-line.md"))
    grounds = set()
    for scheme in (DARK, LIGHT):
        theme.apply(app, scheme)
        QApplication.processEvents()
        code = next(each for each in blocks(_page(reader).document()) if each.text().startswith("raidwright cand"))
        grounds.add(code.blockFormat().background().color().name())
    assert grounds == {QColor(DARK.sunken).name(), QColor(LIGHT.sunken).name()}
    app.setStyleSheet("")


def test_about_says_what_this_is_and_leads_to_the_licences(window: MainWindow, qtbot: QtBot) -> None:
    _act(window, "help-about")
    about = window.findChild(QMessageBox, "about")
    assert about is not None
    assert __version__ in about.text()
    assert "GNU General Public License" in about.informativeText()
    licences = next(button for button in about.buttons() if button.text() == "Licences")
    qtbot.mouseClick(licences, Qt.MouseButton.LeftButton)
    reader = window.findChild(HelpReader)
    assert reader is not None
    assert _title(reader) == "Licences"


def test_the_menu_says_all_by_the_catalogue(window: MainWindow) -> None:
    menu = window.findChild(QMenu, "help-menu")
    assert menu is not None
    assert [action.text() for action in menu.actions() if action.text()] == [
        "On this station",
        "User guide",
        "Glossary",
        "The command line",
        "How the figures are made",
        "Kernels and mdadm",
        "Security",
        "How security is proved",
        "Changes",
        "Copy for a bug report …",
        "About Raidwright",
    ]


def test_a_bug_report_is_seen_before_it_is_copied(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _act(window, "help-report")
    dialog = window.findChild(BugReportDialog)
    assert dialog is not None
    text = dialog.findChild(QPlainTextEdit, "bug-report-text")
    assert text is not None
    asked = session.record.jobs[-1]
    assert (asked.what, asked.arguments) == ("LookAtSoftware", (LookAtSoftware(is_here=False),))
    assert asked.done is not None
    asked.done(Software(helper="0.1.0"))
    serial = sample.machine().disks[0].serial
    assert "helper 0.1.0" in text.toPlainText()
    assert serial not in text.toPlainText()
    serials = dialog.findChild(QCheckBox, "bug-report-serials")
    copy = dialog.findChild(QPushButton, "bug-report-copy")
    assert serials is not None
    assert copy is not None
    serials.setChecked(True)
    assert serial in text.toPlainText()
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == text.toPlainText()
    dialog.accept()
