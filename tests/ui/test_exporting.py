"""Export, beside the command: every format is offered, is written to the named file, or says why it can't be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.text.plan.exports import FORMS, ExportRequest
from raidwright.ui import exporting
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture
def planning(window: MainWindow, session: FakeSession) -> MainWindow:
    session.works_at_once = False
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.choose_level(Level.RAID6)
    return window


def _choose(window: MainWindow, form: str) -> None:
    button = window.findChild(QPushButton, "command-export")
    assert button is not None
    button.menu().aboutToShow.emit()
    action = button.menu().findChild(QAction, f"export-{form}")
    assert action is not None
    action.trigger()


def _let_work(session: FakeSession) -> None:
    """Run the session's last requested computation now."""
    job = session.record.jobs[-1]
    (make,) = job.arguments
    assert job.done is not None
    job.done(make())  # type: ignore[operator]


def _said(window: MainWindow) -> str:
    sentence = window.findChild(QLabel, "export-what")
    assert sentence is not None
    return sentence.text()


@pytest.mark.parametrize("form", list(FORMS))
def test_what_is_exported_stands_in_the_file(
    planning: MainWindow, session: FakeSession, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "runs_of", lambda _plan, _uuid: sample.repeats())
    _choose(planning, form)
    if FORMS[form].tells_runs:
        _let_work(session)
    dialog = planning.findChild(QFileDialog, "export-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "export"))
    dialog.close()
    plan = planning.plan.draft.plan
    assert plan is not None
    content = (tmp_path / "export").read_bytes()
    if FORMS[form].is_printed:  # a PDF, which contains its creation time
        assert content.startswith(b"%PDF-")
    else:
        runs = sample.repeats() if FORMS[form].tells_runs else ()
        assert content.decode() == FORMS[form].text(ExportRequest(plan, runs=runs))
    assert (b"What was measured" in content) == (form == "report")
    assert str(tmp_path / "export") in _said(planning)


@pytest.mark.parametrize("opens", [True, False])
def test_what_was_exported_is_opened_by_the_desktop(
    planning: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opens: bool
) -> None:
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return opens

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    _choose(planning, "fstab")
    dialog = planning.findChild(QFileDialog, "export-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "export"))
    dialog.close()
    view = planning.findChild(QPushButton, "export-view")
    assert view is not None
    view.click()
    assert opened == [str(tmp_path / "export")]
    assert ("No program here opens" in _said(planning)) != opens


def test_what_cannot_be_exported_is_said(planning: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_wanted: ExportRequest) -> str:
        raise InputError("No script can say that.", code="export")

    with monkeypatch.context() as patched:
        patched.setitem(FORMS, "script", replace(FORMS["script"], text=refuse))
        _choose(planning, "script")
    assert planning.findChild(QFileDialog, "export-dialog") is None
    assert "No script can say that." in _said(planning)
    _choose(planning, "fstab")
    dialog = planning.findChild(QFileDialog, "export-dialog")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path))  # a folder
    dialog.close()
    assert "can't be written" in _said(planning)


def test_runs_that_cannot_be_read_are_said(planning: MainWindow, session: FakeSession) -> None:
    _choose(planning, "pdf")
    failed = session.record.jobs[-1].failed
    assert failed is not None
    failed(InputError("The runs can't be read.", code="run-read"))
    assert "The runs can't be read." in _said(planning)


def test_without_a_plan_there_is_nothing_to_export(window: MainWindow) -> None:
    button = window.findChild(QPushButton, "command-export")
    assert button is not None
    assert not button.isEnabled()
