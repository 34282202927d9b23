"""Operations on messages about arrays: who is told, the webhook, and tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidwright.core.protocol import looking, verbs
from raidwright.core.protocol.facts import AlertChannel, AlertFacts
from raidwright.core.protocol.results import AlertSent, WebhookSet
from raidwright.core.system.webhook import WebhookKind

from .operation import Request


@dataclass(frozen=True, slots=True)
class ExamineAlerts(Request[AlertFacts]):
    """Read who is told, and when that last happened. Never prompts."""

    verb = looking.EXAMINE_ALERTS


@dataclass(frozen=True, slots=True)
class SetWebhook(Request[WebhookSet]):
    """Have messages posted to ``url``; "" for nowhere. The token goes with it: none unless given here."""

    verb = verbs.SET_WEBHOOK
    kind: WebhookKind
    url: str = field(repr=False)
    token: str = field(default="", repr=False)

    def arguments(self) -> tuple[object, ...]:
        return (str(self.kind), self.url, self.token)


@dataclass(frozen=True, slots=True)
class SendTestAlert(Request[AlertSent]):
    """Send a test message; raises JobFailed if it doesn't arrive, InputError if the channel isn't set up."""

    verb = verbs.SEND_TEST_ALERT
    channel: AlertChannel

    def arguments(self) -> tuple[object, ...]:
        return (str(self.channel),)
