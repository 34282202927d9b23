"""Possible changes on the Plan station: conditions can be read there, and changes that lose data come first."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Metadata
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.window import MainWindow


def _texts(window: MainWindow) -> list[str]:
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # earlier widgets
    why = window.findChild(QPushButton, "usable-why")
    assert why is not None
    why.click()
    holder = window.findChild(QWidget, "details-page")
    assert holder is not None
    return [label.text().replace("\N{WORD JOINER}", "") for label in holder.findChildren(QLabel)]


def test_conditions_are_read_on_the_plan_page(window: MainWindow) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.choose_level(Level.RAID10)
    window.plan.edit(lambda plan: edits.with_arrangement(plan, "o"))
    texts = _texts(window)
    assert texts.index("!") < texts.index("✓") < texts.index("✕")
    assert any(text.startswith("Don't: mdadm begins it") for text in texts)
    assert any(text.startswith("• Stop and start the array") for text in texts)


def test_a_change_without_room_names_its_backup_file(window: MainWindow) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.edit_fields(level=Level.RAID5, layout=None)
    assert not any("--backup-file" in text for text in _texts(window))
    window.plan.edit_fields(metadata=Metadata.V1_0)
    assert any("--backup-file" in text for text in _texts(window))
