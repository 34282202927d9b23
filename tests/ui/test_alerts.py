"""Messages at the Arrays station: the line, the webhook's entry, and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.core.errors import JobFailed
from raidwright.core.protocol.facts import AlertChannel, AlertFacts
from raidwright.core.protocol.results import AlertSent, WebhookSet
from raidwright.core.system.webhook import WebhookKind
from raidwright.operations.alerts import SendTestAlert, SetWebhook
from raidwright.operations.kept_runs import LastMeasured
from raidwright.ui.alerts.dialog import AlertsDialog
from raidwright.ui.station import Station
from raidwright.ui.widgets.inputs import ComboBox
from raidwright.ui.window import MainWindow

from tests.kit import sample
from tests.unit.test_array_speed import BAND, RUN

from .fake_session import PRACTICE, FakeSession

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")

NOBODY = AlertFacts(watches=True)
BOTH = AlertFacts(
    mail="root",
    can_mail=True,
    webhook="https://ntfy.sh",
    kind="ntfy",
    has_token=True,
    watches=True,
    is_called=True,
    mail_sent_s=1_700_000_000,
)


@pytest.fixture
def arrays(window: MainWindow, session: FakeSession) -> MainWindow:
    """The station, with an array and a helper that told who is told."""
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    session.show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    _tell(session, NOBODY)
    return window


def _tell(session: FakeSession, facts: AlertFacts) -> None:
    done = session.record.alerts[-1].done
    assert done is not None
    done(facts)


def _find(parent: Any, kind: Callable[..., Any], name: str) -> Any:
    found = parent.findChild(kind, name)
    assert found is not None, name
    return found


def _press(parent: Any, name: str, qtbot: QtBot) -> None:
    qtbot.mouseClick(_find(parent, QPushButton, name), Qt.MouseButton.LeftButton)


def _dialog(window: MainWindow, qtbot: QtBot) -> AlertsDialog:
    _press(window, "arrays-messages", qtbot)
    dialog: AlertsDialog = _find(window, AlertsDialog, "alerts")
    return dialog


def _asked(session: FakeSession) -> object:
    return session.record.jobs[-1].arguments[0]


def _line(window: MainWindow) -> str:
    return str(_find(window, QLabel, "arrays-told").text())


def test_the_line_says_who_is_told_and_when_that_last_happened(arrays: MainWindow, session: FakeSession) -> None:
    assert _line(arrays) == "Nobody is told when a disk fails."
    _tell(session, BOTH)
    assert "root and https://ntfy.sh" in _line(arrays)
    assert "The last message went out 2023-11-1" in _line(arrays)
    _tell(session, replace(BOTH, watches=False, webhook_failure="The message didn't reach https://ntfy.sh.", waiting=2))
    for said in ("md's monitor doesn't run", "didn't reach", "2 messages wait"):
        assert said in _line(arrays)


def test_the_card_says_how_fast_the_array_was_measured(arrays: MainWindow, session: FakeSession) -> None:
    asked = session.record.last_runs[-1]
    uuids = asked.arguments[0]
    assert isinstance(uuids, tuple)
    assert asked.done is not None
    asked.done({uuids[0]: LastMeasured(RUN, BAND)})
    assert "812 MB/s. As it should be: 700 to 860." in _find(arrays, QLabel, "array-measured").text()
    looks = len(session.record.last_runs)
    session.show(session.snapshot)
    assert len(session.record.last_runs) == looks  # known already


def test_without_a_helper_nothing_is_claimed(window: MainWindow, session: FakeSession) -> None:
    window.show_station(Station.ARRAYS)
    session.reach(PRACTICE)
    session.show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    assert _find(window, QPushButton, "arrays-messages").isHidden()


def test_a_webhook_is_entered_set_and_tested(arrays: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    dialog = _dialog(arrays, qtbot)
    go = _find(dialog, QPushButton, "alerts-set")
    assert not go.isEnabled()
    qtbot.keyClicks(_find(dialog, QLineEdit, "alerts-url"), "file:///etc/shadow")
    assert not go.isEnabled()
    assert "http://" in _find(dialog, QLabel, "alerts-why-not").text()
    _find(dialog, QLineEdit, "alerts-url").clear()
    qtbot.keyClicks(_find(dialog, QLineEdit, "alerts-url"), "https://ntfy.sh/tank")
    assert _find(dialog, ComboBox, "alerts-kind").currentText() == "ntfy"
    token = _find(dialog, QLineEdit, "alerts-token")
    assert token.echoMode() == QLineEdit.EchoMode.Password
    qtbot.keyClicks(token, "T0k3n")
    _press(dialog, "alerts-set", qtbot)
    assert _asked(session) == SetWebhook(WebhookKind.NTFY, "https://ntfy.sh/tank", "T0k3n")
    assert "T0k3n" not in repr(_asked(session))
    looks = len(session.record.alerts)
    done = session.record.jobs[-1].done
    assert done is not None
    done(WebhookSet("https://ntfy.sh"))
    assert len(session.record.alerts) > looks
    assert not token.text()
    _tell(session, BOTH)
    assert "https://ntfy.sh (ntfy, with a token)" in _find(dialog, QLabel, "alerts-channels").text()
    for channel, name in ((AlertChannel.MAIL, "alerts-test-mail"), (AlertChannel.WEBHOOK, "alerts-test-webhook")):
        _press(dialog, name, qtbot)
        assert _asked(session) == SendTestAlert(channel)
        done = session.record.jobs[-1].done
        assert done is not None
        done(AlertSent(channel))
        assert "taken the test" in _find(dialog, QLabel, "alerts-said").text()


def test_a_test_that_fails_is_a_sentence_and_the_webhook_can_be_removed(
    arrays: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    _tell(session, BOTH)
    dialog = _dialog(arrays, qtbot)
    _press(dialog, "alerts-test-webhook", qtbot)
    failed = session.record.jobs[-1].failed
    assert failed is not None
    failed(JobFailed("The message didn't reach https://ntfy.sh: Connection refused."))
    assert "Connection refused" in _find(dialog, QLabel, "alerts-said").text()
    _press(dialog, "alerts-remove", qtbot)
    assert _asked(session) == SetWebhook(WebhookKind.JSON, "")
