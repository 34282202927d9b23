"""Every menu of the window, dropped down or popped up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QMenu, QPushButton, QToolButton
from raidwright.core.md.layouts import Level
from raidwright.ui.frame.menu import WindowMenu
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.ui import places
from tests.ui.places import settle

from .reaching import find, pop_up

_Go = Callable[[MainWindow], None]


def _menu_of(name: str, place: _Go = places.plan) -> _Go:
    def go(window: MainWindow) -> None:
        place(window)
        button = find(window, name)
        menu = button.menu() if isinstance(button, (QPushButton, QToolButton)) else button.findChild(QMenu)
        assert menu is not None
        menu.aboutToShow.emit()
        pop_up(window, menu)

    return go


def _rare_choices(window: MainWindow) -> None:
    places.plan(window)
    window.plan.choose_level(Level.RAID1)
    fold = find(window, "rare-choices")
    assert isinstance(fold, QPushButton)
    fold.setChecked(True)


def _row_of(name: str, place: _Go) -> _Go:
    def go(window: MainWindow) -> None:
        place(window)
        settle()
        table = find(window, name)
        assert isinstance(table, Table)
        row = 1 if name == "measure-runs" else 0  # below what stands over the runs
        first = table.visualRect(table.model().index(row, 1)).center()
        table.customContextMenuRequested.emit(first)

    return go


def recent_menu(window: MainWindow) -> None:
    """Plans that were opened before."""
    menu = window.findChild(WindowMenu)
    assert menu is not None
    menu.show_recent(Path(f"/home/carol/{name}.raidplan") for name in ("tank", "attic", "the-one-in-the-cellar"))
    pop_up(window, menu.findChild(QMenu, "menu-recent"))


MENUS: dict[str, _Go] = {
    "window_menu": _menu_of("window-menu-button"),
    "recent_menu": recent_menu,
    "help_menu": _menu_of("help-button"),
    "machine_menu": _menu_of("machine-pill"),
    "export_menu": _menu_of("command-export"),
    "stage_save_menu": _menu_of("stage-save"),
    "compare_save_menu": _menu_of("compare-save", places.comparing),
    "measure_more_menu": _menu_of("measure-more", places.measured),
    "prove_save_menu": _menu_of("prove-save", places.prove),
    "prove_studies_menu": _menu_of("prove-studies", places.prove),
    "which_disk_menu": _menu_of("disks-which", places.disks),
    "disks_row_menu": _row_of("disks-table", places.disks),
    "candidates_row_menu": _row_of("candidates-table", places.plan),
    "write_mostly_menu": _menu_of("write-mostly", _rare_choices),
    "runs_row_menu": _row_of("measure-runs", places.measured),
    "buying_row_menu": _row_of("buying-table", places.buying),
}
