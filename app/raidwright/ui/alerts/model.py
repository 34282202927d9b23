"""Messages about a machine's arrays: who is told, the webhook being entered, and a test."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.errors import InputError
from raidwright.core.protocol.facts import AlertChannel, AlertFacts
from raidwright.core.protocol.results import AlertSent, WebhookSet
from raidwright.core.system.webhook import WebhookKind, checked_webhook, likely_kind
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.operations.alerts import ExamineAlerts, SendTestAlert, SetWebhook
from raidwright.session import Session
from raidwright.text.alerts import sent_words
from raidwright.text.catalogue import tr, translated
from raidwright.ui.job import RunningOperation


class AlertsModel(QObject):
    """The messages of the session's machine. ``facts`` is None where the helper doesn't say; ``said``: the outcome.

    ``changed`` follows everything shown. A token that is typed is kept until it is sent, and nowhere else.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.job = RunningOperation(session, self)
        self.job.done.connect(self._done)
        self.job.ended.connect(self.look)
        self.job.changed.connect(self.changed)
        self.facts: AlertFacts | None = None
        self.url, self.token, self.said = "", "", ""
        self._kind: WebhookKind | None = None
        self._machine = ""
        session.connection_changed.connect(self.take_connection)
        self.take_connection(session.connection)

    @property
    def kind(self) -> WebhookKind:
        """The kind that was chosen, or that the URL suggests."""
        return self._kind or likely_kind(self.url)

    @property
    def why_not(self) -> str:
        """The reason why the webhook can't be set yet; "" if it can."""
        if self.job.is_busy:
            return self.job.at
        if not self.url:
            return tr("Enter the webhook's URL.")
        try:
            checked_webhook(self.kind, self.url, self.token)
        except InputError as error:
            return translated(error.sentence)
        return ""

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Look again at another machine."""
        now = f"{connection.state} {connection.title}"
        if now != self._machine:
            self._machine, self.facts, self.said = now, None, ""
            self.look()
            self.changed.emit()

    @Slot()
    def look(self) -> None:
        """Ask the helper who is told; without one, or with an older one, nothing is shown."""
        if self._session.connection.state is ConnectionState.CONNECTED:
            self._session.perform(ExamineAlerts(), done=self._seen, failed=lambda _error: None)

    def choose_kind(self, kind: WebhookKind) -> None:
        """Set the kind."""
        self._kind = kind
        self.changed.emit()

    @Slot(str)
    def type_url(self, url: str) -> None:
        """Set the URL that is typed."""
        self.url = url.strip()
        self.changed.emit()

    @Slot(str)
    def type_token(self, token: str) -> None:
        """Set the token that is typed."""
        self.token = token.strip()
        self.changed.emit()

    @Slot()
    def set_webhook(self) -> None:
        """Have messages posted to the URL that was typed."""
        if not self.why_not:
            self.said = ""
            self.job.begin(SetWebhook(self.kind, self.url, self.token))

    @Slot()
    def remove_webhook(self) -> None:
        """Post no messages any more."""
        self.said = ""
        self.job.begin(SetWebhook(WebhookKind.JSON, ""))

    def send_test(self, channel: AlertChannel) -> None:
        """Send a test message."""
        self.said = ""
        self.job.begin(SendTestAlert(channel))

    @Slot(object)
    def _seen(self, facts: AlertFacts) -> None:
        self.facts = facts
        self.changed.emit()

    @Slot(object)
    def _done(self, result: object) -> None:
        match result:
            case AlertSent() if self.facts is not None:
                self.said = sent_words(result.channel, self.facts)
            case WebhookSet():
                self.url = self.token = ""
                self.said = tr("Set. Send a test to see that it arrives.") if result.place else tr("Removed.")
