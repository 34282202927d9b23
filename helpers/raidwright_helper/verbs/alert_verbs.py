"""The verbs on messages about arrays: who is told, the webhook, and a test of either."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.protocol import looking, verbs
from raidwright.core.protocol.facts import AlertChannel
from raidwright.core.protocol.results import WebhookSet
from raidwright.core.system.webhook import Webhook, WebhookKind, checked_webhook

from raidwright_helper.acts import alerts, configuration
from raidwright_helper.acts.alerts import Alerts
from raidwright_helper.host.host import Host
from raidwright_helper.jobs.claims import SYSTEM_FILES, Claims
from raidwright_helper.jobs.jobs import Job, Jobs
from raidwright_helper.jobs.journal import Record
from raidwright_helper.records.alerts import AlertRecords
from raidwright_helper.records.changes import Changes

from .method import AuthorisedCall, Method

_JOB_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class AlertVerbs:
    """The verbs on messages."""

    host: Host
    records: AlertRecords
    jobs: Jobs
    claims: Claims
    changes: Changes

    @property
    def alerts(self) -> Alerts:
        """The messages, and the programs that send them."""
        return Alerts(self.host, self.records)

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        return (
            Method(looking.EXAMINE_ALERTS, self._examine),
            Method(verbs.SET_WEBHOOK, self._set, _place_details, read=_read_webhook),
            Method(verbs.SEND_TEST_ALERT, self._test, _channel_details, read=_read_channel),
        )

    async def _examine(self, _call: AuthorisedCall) -> object:
        return await self.alerts.examine()

    async def _set(self, call: AuthorisedCall) -> object:
        webhook: Webhook | None = call.request
        place = webhook.place if webhook else ""
        record = Record(verbs.SET_WEBHOOK.name, call.uid, [place or "no webhook"])

        async def work(job: Job) -> WebhookSet:
            if webhook is not None:
                await configuration.have_monitor_call(self.changes, job)
            self.records.set_webhook(webhook)
            return WebhookSet(place, job.record.log)

        return self._start(call, record, work)

    async def _test(self, call: AuthorisedCall) -> object:
        channel: AlertChannel = call.request
        record = Record(verbs.SEND_TEST_ALERT.name, call.uid, [str(channel)])
        return self._start(call, record, partial(alerts.send_test, self.alerts, channel))

    def _start(self, call: AuthorisedCall, record: Record, work: Any) -> str:
        held = contextlib.ExitStack()
        held.enter_context(self.claims.hold({SYSTEM_FILES}))
        return self.jobs.start(call.sender, record, work, limit_s=_JOB_SECONDS, until=held, ends_with_owner=False)


def _read_webhook(arguments: Sequence[Any]) -> Webhook | None:
    """Read the request of SetWebhook; None removes it. Raises InputError."""
    kind, url, token = arguments
    if not url and not token:
        return None
    if kind not in set(WebhookKind):
        raise InputError("A webhook is one of {known}.", code="webhook-kind", known=tuple(map(str, WebhookKind)))
    return checked_webhook(WebhookKind(kind), url, token)


def _read_channel(arguments: Sequence[Any]) -> AlertChannel:
    """Read the request of SendTestAlert; raises InputError."""
    if arguments[0] not in set(AlertChannel):
        raise InputError("A message goes by {known:or}.", code="channel", known=tuple(map(str, AlertChannel)))
    return AlertChannel(arguments[0])


def _place_details(request: Webhook | None) -> Mapping[str, str]:
    """Return the prompt's value: the host that the messages go to."""
    return {"place": request.place if request else "nowhere"}


def _channel_details(request: AlertChannel) -> Mapping[str, str]:
    return {"channel": str(request)}
