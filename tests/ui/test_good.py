"""The judgement of an array: its verdict, a row for each topic with its button, and the one thing to do."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from raidwright.analysis.assessment import assess
from raidwright.core.protocol.facts import AlertFacts
from raidwright.machine.judged_plan import judged_disks, judged_plan
from raidwright.operations.arrays import StartCheck
from raidwright.operations.system import Tune
from raidwright.ui.alerts.dialog import AlertsDialog
from raidwright.ui.station import Station
from raidwright.ui.stations.arrays.bigger.page import BiggerPage
from raidwright.ui.stations.arrays.good.model import GoodModel
from raidwright.ui.stations.arrays.good.page import GoodPage
from raidwright.ui.window import MainWindow

from tests.kit import sample_growth

from .fake_session import FakeSession
from .places import press, settle


@pytest.fixture
def page(window: MainWindow, session: FakeSession) -> GoodPage:
    """The judgement of “media”, of whose failures nobody is told."""
    session.show(sample_growth.seen(sample_growth.FREE))
    window.show_station(Station.ARRAYS)
    settle()
    done = session.record.alerts[-1].done
    assert done is not None
    done(AlertFacts(watches=True))
    press(window, "array-good")
    settle()
    found = window.findChild(GoodPage)
    assert found is not None
    return found


def _text(page: GoodPage, name: str) -> str:
    found = page.findChild(QLabel, name)
    assert found is not None
    return found.text()


def test_the_verdict_is_the_title_and_the_findings_are_those_of_the_assessment(
    page: GoodPage, window: MainWindow
) -> None:
    assert page.isVisible()
    assert _text(page, "good-verdict") == "media is sound; three things would make it better"
    assert page.accessibleName() == _text(page, "good-verdict")
    snapshot = sample_growth.seen(sample_growth.FREE)
    wanted = assess(judged_plan(snapshot.arrays[0], snapshot), judged_disks(snapshot)).findings
    model = window.findChild(GoodModel)
    assert model is not None
    assert {finding.code for row in model.rows for finding in row.findings} == {finding.code for finding in wanted}


def test_the_one_thing_to_do_leads_to_the_safer_way(page: GoodPage, window: MainWindow, session: FakeSession) -> None:
    assert _text(page, "good-first") == "make it safer"
    press(window, "good-go")
    done = session.record.jobs[-1].done
    assert done is not None
    done(sample_growth.GROUND)
    settle()
    walk = window.findChild(BiggerPage)
    assert walk is not None
    assert walk.accessibleName() == "media becomes RAID 6 · 5 disks"
    press(window, "bigger-another")
    press(window, "bigger-back")
    assert page.isVisible()  # where it was asked for
    press(window, "good-close")
    assert not page.isVisible()


def test_a_check_and_the_receivers_of_messages_are_one_click_away(
    page: GoodPage, window: MainWindow, session: FakeSession
) -> None:
    check = page.findChild(QPushButton, "good-act-checks")
    assert check is not None
    assert check.accessibleName() == "Checks: Check now"
    press(window, "good-act-told")
    assert window.findChild(AlertsDialog) is not None
    check.click()
    assert session.record.jobs[-1].arguments == (StartCheck(sample_growth.media().named),)


def test_retries_are_limited_now_and_at_each_start(window: MainWindow, session: FakeSession) -> None:
    patient = sample_growth.MEMBERS[2].id
    session.show(sample_growth.with_disks(sample_growth.seen(), {patient: {"model": "ST8000DM004-2CX188"}}))
    window.show_station(Station.ARRAYS)
    settle()
    press(window, "array-good")
    settle()
    press(window, "good-act-retries")
    [asked] = session.record.jobs[-1].arguments
    assert isinstance(asked, Tune)
    assert asked.tuning.error_recovery_s == 7
