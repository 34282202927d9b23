"""UDisks2 or the helper missing: disks stay as last seen, it is said where one plans, and looked for again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import Denied, RaidwrightError, Unreachable
from raidwright.machine.values import Snapshot
from raidwright.text.disk.facts import name
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession

_STOPPED = "UDisks2, the service that knows the disks, has stopped; waiting for it to come back."
_NO_HELPER = "Raidwright's helper isn't installed on that machine."


@pytest.fixture
def looks(session: FakeSession, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each look for what is missing."""
    found: list[str] = []
    monkeypatch.setattr(session, "look_again", lambda: found.append("look"))
    return found


def _bar(window: MainWindow, matter: str) -> str:
    bar = window.findChild(QWidget, f"{matter}-bar")
    if bar is None or not bar.isVisible():
        return ""
    what = bar.findChild(QLabel, f"{matter}-what")
    assert what is not None
    return what.text()


def _button(window: MainWindow, called: str) -> QPushButton:
    button = window.findChild(QPushButton, called)
    assert button is not None
    return button


def _press(window: MainWindow, called: str, qtbot: QtBot) -> None:
    assert _button(window, called).isVisible()
    qtbot.mouseClick(_button(window, called), Qt.MouseButton.LeftButton)


def test_while_udisks_is_gone_the_disks_stay_as_last_seen_and_nothing_is_done_with_them(
    window: MainWindow, session: FakeSession, looks: list[str], qtbot: QtBot
) -> None:
    window.disks.choose_all()
    plan, seen = window.plan.draft.plan, session.snapshot
    session.show(replace(seen, problem=_STOPPED))
    assert [row.disk for row in window.disks.rows if row.is_unseen] == list(seen.disks)
    assert not window.disks.gone
    assert window.plan.draft.plan == plan
    assert _bar(window, "unseen") == _STOPPED
    assert not _button(window, "disks-next").isEnabled()
    assert not _button(window, "disks-measure").isEnabled()
    free = next(disk for disk in seen.disks if disk.id not in {one.id for one in window.disks.chosen})
    window.disks.toggle(free.id)
    assert free not in window.disks.chosen
    for station in (Station.PROVE, Station.BUILD):
        window.show_station(station)
    assert "aren't seen now" in window.stations.build.model.why_not
    assert "aren't seen now" in window.stations.prove.model.why_not
    assert name(seen.disks[0]) not in _bar(window, "gone")
    _press(window, "unseen-again", qtbot)
    assert looks == ["look"]
    session.show(seen)
    assert not _bar(window, "unseen")
    assert _button(window, "disks-next").isEnabled()
    assert not any(row.is_unseen for row in window.disks.rows)


def test_the_arrays_are_named_as_last_seen_and_the_button_looks_again(
    window: MainWindow, session: FakeSession, looks: list[str], qtbot: QtBot
) -> None:
    array = sample.array(10**12)
    session.show(replace(sample.machine(), arrays=(array,)))
    window.show_station(Station.ARRAYS)
    session.show(replace(session.snapshot, problem=_STOPPED))
    notice = window.findChild(QWidget, "arrays-notice")
    assert notice is not None
    assert notice.isVisible()
    said = " ".join(label.text() for label in notice.findChildren(QLabel))
    assert "When last seen there were: tank." in said
    button = next(one for one in notice.findChildren(QPushButton) if one.isVisible())
    assert button.text() == "Try again"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert looks == ["look"]


def test_a_missing_helper_is_said_where_planning_begins(
    window: MainWindow, session: FakeSession, looks: list[str], qtbot: QtBot
) -> None:
    assert not _bar(window, "helper")
    session.show(replace(sample.machine(), helper_problem=_NO_HELPER))
    assert _bar(window, "helper") == _NO_HELPER
    _press(window, "helper-again", qtbot)
    assert looks == ["look"]
    window.show_station(Station.ARRAYS)
    assert not _bar(window, "helper")
    window.show_station(Station.BUILD)
    assert _bar(window, "helper") == _NO_HELPER
    session.show(sample.machine())
    assert not _bar(window, "helper")


@pytest.mark.parametrize(
    "error",
    [
        Unreachable(_NO_HELPER, code="no-service"),
        Denied("polkit could not say whether this is allowed, so it isn't.", code="denied-error"),
    ],
)
@pytest.mark.parametrize("cure", ["by itself", "button", "shown again"])
def test_build_looks_at_the_disks_again_once_what_was_missing_is_there(
    window: MainWindow, session: FakeSession, looks: list[str], qtbot: QtBot, error: RaidwrightError, cure: str
) -> None:
    window.disks.choose_all()
    window.show_station(Station.BUILD)
    asked = [job for job in session.record.jobs if job.what == "ExamineSignatures"]
    assert len(asked) == 1
    assert asked[0].failed is not None
    asked[0].failed(error)
    assert error.sentence in window.stations.build.model.why_not
    assert looks == ["look"]  # the machine is asked, too, and from then on now and then
    seen = session.snapshot
    session.show(replace(seen, helper_problem=error.sentence))
    if cure == "by itself":
        session.show(seen)
    elif cure == "button":
        _press(window, "build-again", qtbot)
    else:
        window.show_station(Station.PLAN)
        window.show_station(Station.BUILD)
    asked = [job for job in session.record.jobs if job.what == "ExamineSignatures"]
    assert len(asked) == 2
    assert asked[1].done is not None
    asked[1].done({disk.id: () for disk in window.disks.chosen})
    assert window.stations.build.model.why_not.startswith("Type the array's name")
    assert not _button(window, "build-again").isVisible()


def test_without_anything_seen_before_the_page_itself_says_why(window: MainWindow, session: FakeSession) -> None:
    session.show(Snapshot(problem=_STOPPED))
    assert not _bar(window, "unseen")
    assert _STOPPED in " ".join(label.text() for label in window.findChildren(QLabel))
