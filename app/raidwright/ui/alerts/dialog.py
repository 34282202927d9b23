"""The dialog on messages about arrays: who is told, a test of each channel, and the webhook."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QLineEdit, QVBoxLayout, QWidget

from raidwright.core.protocol.facts import AlertChannel
from raidwright.core.system.webhook import WebhookKind
from raidwright.text.alerts import channel_lines, kind_name, trouble
from raidwright.text.catalogue import tr
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.inputs import ComboBox
from raidwright.ui.widgets.panel import button, column, label, row

from .model import AlertsModel

_WIDTH = 620


class AlertsDialog(QDialog):
    """The view of ``model``."""

    def __init__(self, model: AlertsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        title = tr("When a disk fails")
        self.setObjectName("alerts")
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(_WIDTH)
        self._channels = label("", name="alerts-channels", wrap=True)
        self._trouble = label("", "warning", name="alerts-trouble", wrap=True)
        self._tests = {
            AlertChannel.MAIL: button(tr("Send a test mail"), "alerts-test-mail"),
            AlertChannel.WEBHOOK: button(tr("Send a test to the webhook"), "alerts-test-webhook"),
        }
        for channel, test in self._tests.items():
            test.clicked.connect(lambda _on=False, channel=channel: model.send_test(channel))
        self._remove = button(tr("Remove the webhook"), "alerts-remove")
        self._remove.clicked.connect(model.remove_webhook)
        acts = row(*self._tests.values(), self._remove, spacing=SPACE_S)
        acts.addStretch(1)
        self._said = label("", name="alerts-said", wrap=True)
        self._leave = button(tr("Close"), "alerts-close")
        self._leave.clicked.connect(self.reject)
        foot = row(self._said, self._leave, spacing=SPACE_M)
        foot.setStretch(0, 1)
        box = column(label(title, "headline"), self._channels, self._trouble, acts, spacing=SPACE_M)
        box.addLayout(self._entry())
        box.addLayout(foot)
        box.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(box)
        for part in (*self._tests.values(), self._remove, self._leave, self._set):
            part.setAutoDefault(False)
        model.changed.connect(self._show)
        self._show()

    def _entry(self) -> QVBoxLayout:
        model = self._model
        intro = label(
            tr(
                "A webhook gets the same message as a mail: array, slot, model and serial number. For ntfy enter the "
                "topic's URL, for Gotify the server's, for anything else where JSON is taken. The token stays on that "
                "computer, readable by root alone."
            ),
            "dim",
            wrap=True,
        )
        self._url = _field("alerts-url", tr("The webhook's URL"), "https://ntfy.sh/…")
        self._url.textEdited.connect(model.type_url)
        self._kind = ComboBox()
        self._kind.setObjectName("alerts-kind")
        self._kind.setAccessibleName(tr("What the URL takes"))
        for kind in WebhookKind:
            self._kind.addItem(kind_name(kind), kind)
        self._kind.activated.connect(lambda _place: model.choose_kind(WebhookKind(self._kind.currentData())))
        self._token = _field("alerts-token", tr("Token"), tr("token (optional)"))
        self._token.setEchoMode(QLineEdit.EchoMode.Password)
        self._token.textEdited.connect(model.type_token)
        self._set = button(tr("Post messages there"), "alerts-set", primary=True)
        self._set.clicked.connect(model.set_webhook)
        self._why_not = label("", "dim", name="alerts-why-not", wrap=True)
        where = row(self._url, self._kind, spacing=SPACE_S)
        where.setStretch(0, 1)
        how = row(self._token, self._set, spacing=SPACE_S)
        how.setStretch(0, 1)
        return column(intro, where, how, self._why_not, spacing=SPACE_S)

    @Slot()
    def _show(self) -> None:
        model, facts = self._model, self._model.facts
        nobody = tr("Nobody is told. Set a webhook here, or a mail address with “Set up for each start …” of an array.")
        self._channels.setText("\n".join(channel_lines(facts)) if facts and facts.channels else nobody)
        self._trouble.setText("\n".join(trouble(facts)) if facts else "")
        self._trouble.setVisible(bool(self._trouble.text()))
        for channel, test in self._tests.items():
            test.setVisible(facts is not None and channel in facts.channels)
            test.setEnabled(not model.job.is_busy)
        self._remove.setVisible(facts is not None and bool(facts.webhook))
        self._remove.setEnabled(not model.job.is_busy)
        for field, text in ((self._url, model.url), (self._token, model.token)):
            if field.text().strip() != text:
                field.setText(text)
        self._kind.setCurrentIndex(self._kind.findData(model.kind))
        self._set.setEnabled(not model.why_not)
        self._why_not.setText(model.why_not if model.url and not model.job.is_busy else "")
        failure = f"✕ {model.job.failure}" if model.job.failure else ""
        self._said.setText(model.job.at or failure or model.said)
        if (box := self.layout()) is not None:
            box.activate()
            self.setFixedHeight(box.totalHeightForWidth(_WIDTH))  # wrapped labels would take height from the others


def _field(name: str, title: str, hint: str) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(name)
    field.setAccessibleName(title)
    field.setPlaceholderText(hint)
    return field
