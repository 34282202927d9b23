"""The recovery card: in a file, and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QDialog, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.core.protocol.results import BuildResult
from raidwright.ui.after_build.recovery_card import RecoveryCardPanel
from raidwright.ui.station import Station
from raidwright.ui.stations.building.model import Built
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession


@pytest.fixture
def built(window: MainWindow, session: FakeSession, qtbot: QtBot) -> Built:
    window.disks.choose_all()
    window.show_station(Station.BUILD)
    window.stations.build.model.type_name("tank")
    window.stations.build.model.build()
    done = session.record.jobs[-1].done
    assert done is not None
    done(BuildResult("/dev/md127", sample.ARRAY_UUID, 12345, 0, "mdadm …", build_id="a" * 32))
    assert window.stations.build.model.built_array is not None
    return window.stations.build.model.built_array


def test_the_file_has_what_brings_the_array_back(window: MainWindow, built: Built, tmp_path: Path) -> None:
    failures: list[str] = []
    RecoveryCardPanel(built.assessment.plan, built.result.uuid, window, failures.append).save(tmp_path / "card.txt")
    text = (tmp_path / "card.txt").read_text(encoding="utf-8")
    assert sample.ARRAY_UUID in text
    assert all(member.serial in text for member in built.assessment.plan.disks())
    assert not failures


def test_a_place_that_cannot_be_written_is_a_sentence(window: MainWindow, built: Built, tmp_path: Path) -> None:
    failures: list[str] = []
    RecoveryCardPanel(built.assessment.plan, built.result.uuid, window, failures.append).save(
        tmp_path / "nowhere" / "card.txt"
    )
    assert "No such file" in failures[0]


def test_it_prints_on_pages(window: MainWindow, built: Built, tmp_path: Path) -> None:
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "card.pdf"))
    card = RecoveryCardPanel(built.assessment.plan, built.result.uuid, window, lambda _sentence: None)
    document = card.document()
    assert document.toPlainText() == card.text.rstrip("\n") or document.toPlainText() == card.text
    document.print_(printer)
    assert (tmp_path / "card.pdf").read_bytes().startswith(b"%PDF")


# Offscreen has no window manager that sets a dialog's size.
@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("name", ["built-card", "built-print"])
def test_the_dialogs_open_and_can_be_left(window: MainWindow, qtbot: QtBot, name: str) -> None:
    asking = window.findChild(QPushButton, name)
    assert asking is not None
    asking.click()
    dialog = window.findChild(QDialog, f"{name}-dialog")
    assert dialog is not None
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(RecoveryCardPanel) is None)
