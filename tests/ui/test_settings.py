"""Settings, the window's menu, rows' menus, dropped files; and light and dark while the window runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QAction, QColor, QDragEnterEvent, QDropEvent, QImage, QKeySequence, QPalette
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMenu, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.colours import DARK, LIGHT
from raidwright.core.md.layouts import Level
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.session import Session
from raidwright.text import catalogue
from raidwright.ui import application, theme
from raidwright.ui.settings.store import SettingsStore, Theme, Units
from raidwright.ui.stations.plan.plan_file import write_plan_file
from raidwright.ui.stations.plan.ranking import RankingModel
from raidwright.ui.widgets.row_menu import RowMenu
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit.pictures import still_window

from .fake_session import FakeSession
from .places import PLACES, plan, press, settle

# Offscreen has no window manager that sets a dialog's size.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture
def store(tmp_path: Path) -> QSettings:
    return QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def still(qtbot: QtBot, dressed: QApplication) -> Iterator[MainWindow]:
    made = still_window()
    qtbot.addWidget(made)
    made.show()
    yield made
    made.close_unasked()


def _act(window: MainWindow, name: str) -> QAction:
    action = window.findChild(QAction, name)
    assert action is not None
    return action


def test_settings_outlast_the_window_and_nonsense_counts_as_nothing(store: QSettings, tmp_path: Path) -> None:
    kept = tmp_path / "tank.json"
    kept.write_text("{}")
    first = SettingsStore(store)
    assert (first.theme, first.units, first.language, first.years) == (Theme.SYSTEM, Units.DECIMAL, "", 5)
    first.theme, first.units, first.language, first.years = Theme.DARK, Units.BINARY, "en", 7
    first.remember(kept)
    first.remember(tmp_path / "gone.json")
    store.sync()
    again = SettingsStore(QSettings(store.fileName(), QSettings.Format.IniFormat))
    assert (again.theme, again.units, again.language, again.years) == (Theme.DARK, Units.BINARY, "en", 7)
    assert again.recent == (kept,)  # missing files aren't offered
    for key in ("theme", "units", "years", "geometry"):
        store.setValue(key, "nonsense")
    broken = SettingsStore(store)
    assert (broken.theme, broken.units, broken.years) == (Theme.SYSTEM, Units.DECIMAL, 5)
    assert broken.geometry.isEmpty()


def test_the_newest_plan_files_are_remembered(tmp_path: Path) -> None:
    settings, paths = SettingsStore(), [tmp_path / f"{number}.json" for number in range(12)]
    for path in (*paths, paths[5]):
        path.write_text("{}")
        settings.remember(path)
    assert settings.recent == (paths[5], *(paths[number] for number in (11, 10, 9, 8, 7, 6, 4)))


def test_the_theme_follows_the_system_until_one_is_chosen(qapp: QApplication, dressed: QApplication) -> None:
    def ground() -> str:
        return qapp.palette().color(QPalette.ColorRole.Window).name().upper()

    schemes = qapp.styleHints().colorSchemeChanged
    theme.choose(qapp, Qt.ColorScheme.Unknown)
    for scheme, look in ((Qt.ColorScheme.Dark, DARK), (Qt.ColorScheme.Light, LIGHT)):
        schemes.emit(scheme)
        assert ground() == look.ground
    theme.choose(qapp, Qt.ColorScheme.Dark)
    schemes.emit(Qt.ColorScheme.Light)
    assert ground() == DARK.ground
    theme.choose(qapp, Qt.ColorScheme.Unknown)
    assert ground() == LIGHT.ground


_OF_LETTERS = 5


@pytest.mark.parametrize("go", PLACES, ids=lambda go: go.__name__)
def test_a_window_that_turns_dark_looks_as_if_it_had_been(
    still: MainWindow, qtbot: QtBot, qapp: QApplication, go: Callable[[MainWindow], None]
) -> None:
    """Nothing painted or coloured in light mode stays: no background of the light scheme is left."""
    go(still)
    settle()
    theme.apply(qapp, DARK)
    settle()
    picture = still.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(picture.constBits(), np.uint32).reshape(picture.height(), picture.width())
    colours, counts = (each.tolist() for each in np.unique(pixels[::3, ::3], return_counts=True))
    seen = Counter({QColor(one).name().upper(): count for one, count in zip(colours, counts, strict=True)})
    assert seen[DARK.panel] > seen.total() / 10
    # The edges of letters have all colours between the text's and the ground's, so a few pixels may be any of these.
    assert not {each for each in (LIGHT.ground, LIGHT.rail, LIGHT.sunken, LIGHT.line) if seen[each] > _OF_LETTERS}
    assert seen[LIGHT.panel] < seen.total() / 500  # only figures on the stage's darkest cells are white


def test_the_dialog_changes_what_it_says(still: MainWindow, qtbot: QtBot, qapp: QApplication) -> None:
    settings = SettingsStore()
    changed: list[Theme] = []
    settings.theme_changed.connect(lambda: changed.append(settings.theme))
    window = MainWindow(still._session, settings)
    qtbot.addWidget(window)
    window.show()
    assert _act(window, "menu-settings").shortcut() == QKeySequence("Ctrl+,")
    _act(window, "menu-settings").trigger()
    press(window, "settings-theme-dark")
    press(window, "settings-units-binary")
    assert (settings.theme, settings.units, changed) == (Theme.DARK, Units.BINARY, [Theme.DARK])
    press(window, "settings-close")
    window.close_unasked()


def test_sizes_are_said_in_the_units_that_were_chosen() -> None:
    settings = SettingsStore()
    settings.units = Units.BINARY
    try:
        application.speak(settings)
        assert catalogue.decimal_size(8 * 10**12) == "7.28 TiB"
        assert catalogue.other_size(8 * 10**12) == "8.00 TB"
        assert catalogue.tr("{size_bytes:size} left", size_bytes=2**40) == "1.00 TiB left"
    finally:
        catalogue.choose(["en"])
    assert catalogue.decimal_size(8 * 10**12) == "8.00 TB"
    assert catalogue.other_size(8 * 10**12) == "7.28 TiB"


def test_a_plan_is_saved_and_opened_by_the_keys_of_other_programs(still: MainWindow, tmp_path: Path) -> None:
    assert _act(still, "menu-open").shortcut() == QKeySequence("Ctrl+O")
    assert _act(still, "menu-save").shortcut() == QKeySequence("Ctrl+S")
    assert _act(still, "menu-leave").shortcut() == QKeySequence("Ctrl+Q")
    assert not _act(still, "menu-save").isEnabled()
    plan(still)
    _act(still, "menu-save").trigger()
    dialog = still.findChild(QFileDialog, "plan-save-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "tank.json"))
    dialog.reject()
    settle()
    recent = still.findChild(QMenu, "menu-recent")
    assert recent is not None
    assert [action.text() for action in recent.actions()] == ["tank.json"]
    still.plan.choose_level(Level.RAID5)
    recent.actions()[0].trigger()
    assert still.plan.draft.plan is not None
    assert still.plan.draft.plan.array.level is Level.RAID10


def test_a_machine_that_cannot_be_seen_is_looked_for_again(session: FakeSession, qtbot: QtBot) -> None:
    window = MainWindow(session)
    qtbot.addWidget(window)
    again, asked = _act(window, "menu-again"), session.record.jobs
    assert again.shortcut() == QKeySequence("F5")
    Session.connect_to(session, "unix:path=/nonexistent")
    assert not again.isEnabled()
    session.reach(Connection("unix:path=/nonexistent", state=ConnectionState.FAILED))
    assert again.isEnabled()
    again.trigger()
    assert [(one.what, one.arguments[0]) for one in asked] == [("connect", "unix:path=/nonexistent")]
    window.close_unasked()


def _drop(window: MainWindow, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    at, how = QPoint(50, 300), Qt.DropAction.CopyAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(at, how, mime, buttons, keys))
    QApplication.sendEvent(window, QDropEvent(QPointF(at), how, mime, buttons, keys))


def test_a_file_can_be_dropped_on_the_first_page(still: MainWindow, tmp_path: Path) -> None:
    still.disks.choose_all()
    still.plan.choose_level(Level.RAID6)
    assert still.plan.draft.plan is not None
    write_plan_file(still.plan.draft.plan, tmp_path / "six.json")
    still.plan.choose_level(Level.RAID5)
    _drop(still, tmp_path / "six.json")
    assert still.plan.draft.plan.array.level is Level.RAID6
    (tmp_path / "letter.txt").write_text("Dear all")
    _drop(still, tmp_path / "letter.txt")
    said = still.findChild(QLabel, "file-what")
    assert said is not None
    assert said.isVisible()
    assert said.text()


@pytest.mark.parametrize(
    ("go", "table", "row", "wanted"),
    [
        ("nothing_chosen", "disks-table", 0, {"row-turn", "row-locate", "row-bay", "row-serial", "row-path"}),
        ("plan", "candidates-table", 1, {"row-plan", "row-commands"}),
        ("measured", "measure-runs", 1, {"row-show", "row-compare", "row-csv"}),
    ],
)
def test_rows_have_menus(still: MainWindow, go: str, table: str, row: int, wanted: set[str]) -> None:
    next(one for one in PLACES if one.__name__ == go)(still)
    settle()
    rows = still.findChild(Table, table)
    assert rows is not None
    maker = rows.findChild(RowMenu)
    assert maker is not None
    maker.fill(row)
    menu = rows.findChild(QMenu, f"{table}-menu")
    assert menu is not None
    actions = {action.objectName(): action for action in menu.actions() if not action.isSeparator()}
    assert actions.keys() == wanted
    clipboard = QApplication.clipboard()
    if "row-serial" in actions:
        actions["row-serial"].trigger()
        assert clipboard.text() == "VK0ABCD0"
        actions["row-path"].trigger()
        assert clipboard.text() == "/dev/disk/by-id/wwn-0x5000c500a1b2c3d0"
    elif "row-plan" in actions:
        actions["row-commands"].trigger()
        assert clipboard.text().startswith("mdadm --create")
        actions["row-plan"].trigger()
        assert rows.model().index(row, 1).data() == "RAID 10, near"
    else:
        actions["row-compare"].trigger()
        assert still.findChild(QPushButton, "compare-back") is not None


def test_a_rows_menu_stays_that_of_its_disk(window: MainWindow, session: FakeSession) -> None:
    """Also if another disk moves into the row while the menu is open."""
    rows = window.findChild(Table, "disks-table")
    assert rows is not None
    maker = rows.findChild(RowMenu)
    assert maker is not None
    maker.fill(1)
    (turn,) = (action for action in maker.menu.actions() if action.objectName() == "row-turn")
    seen = session.snapshot
    session.show(replace(seen, disks=seen.disks[1:]))
    turn.trigger()
    assert [disk.id for disk in window.disks.chosen] == [seen.disks[1].id]


def test_a_rows_menu_stays_that_of_its_layout(still: MainWindow) -> None:
    """Also if the layouts move to other rows while the menu is open, or are fewer than its row."""
    plan(still)
    rows, ranking = still.findChild(Table, "candidates-table"), still.findChild(RankingModel)
    assert rows is not None
    assert ranking is not None
    maker = rows.findChild(RowMenu)
    assert maker is not None
    seen = ranking.ranking.candidates[3]
    maker.fill(3)
    (plan_it,) = (action for action in maker.menu.actions() if action.objectName() == "row-plan")
    ranking.wish(space=0, reading=100)
    assert ranking.ranking.candidates[3].prepared.plan != seen.prepared.plan
    plan_it.trigger()
    assert ranking.is_chosen(seen)
    for disk in still.disks.chosen[2:]:
        still.disks.toggle(disk.id)
    before = still.plan.draft.plan
    plan_it.trigger()
    assert still.plan.draft.plan is before


def test_a_click_beside_the_rows_opens_no_menu(still: MainWindow) -> None:
    rows = still.findChild(Table, "disks-table")
    assert rows is not None
    rows.customContextMenuRequested.emit(QPoint(5, 5000))
    menu = rows.findChild(QMenu, "disks-table-menu")
    assert menu is not None
    assert not menu.isVisible()
