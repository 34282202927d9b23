"""The webhook with its token, the messages that wait for it, and when a message last went out by each channel.

Files of mode 0600 in a folder that only root can enter (``store``). The URL and the token are read by the program that
posts (``acts.event``) alone; to callers only the URL's host is told.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace
from pathlib import Path

from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields, printable
from raidwright.core.protocol.facts import AlertChannel
from raidwright.core.system.webhook import Alert, Webhook, WebhookKind, checked_webhook

from raidwright_helper.host import md

from .store import Store

WEBHOOK = "webhook.json"
_MAX_FAILURE = 400  # characters: a sentence with its way on
_MONITOR = "monitor"
_MAX_WAITING = 64
_ONE_EVENT_SECONDS = 3600  # md tells of each array; the monitor's reminder comes once a day
_KEPT_SECONDS = 7 * 86400  # a later message would be no help


@dataclass(frozen=True, slots=True)
class Delivery:
    """The last message of a channel that went out, and why a later one didn't; also the monitor's last event."""

    name: str
    sent_s: int | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class WaitingAlert:
    """A message that waits to be posted."""

    id: str
    alert: Alert


@dataclass(frozen=True, slots=True)
class ToldLoss:
    """The lost disks, by serial number, of which a message on a joined volume told; ``uuid`` is its first array's."""

    uuid: str
    serials: tuple[str, ...]
    at_s: int


class AlertRecords:
    """The records; ``folder`` is created on first use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._webhook = Store(folder, "webhook", name=lambda _: WEBHOOK, read=_read_webhook, loss=_loss)
        self._sent = Store(folder / "sent", "time of a message", name=_name_of, read=_read_delivery, loss=_loss)
        self._losses = Store(
            folder / "losses", "told loss", name=lambda one: _loss_name(one.uuid), read=_read_told_loss, loss=_loss
        )
        self._waiting = Store(folder / "waiting", "waiting message", name=_id_of, read=_read_waiting, loss=_loss)

    def webhook(self) -> Webhook | None:
        """Return the webhook, if there is one."""
        return self._webhook.get(WEBHOOK)

    def set_webhook(self, webhook: Webhook | None) -> None:
        """Store the webhook, or remove it, with the messages that wait for it; raises JobFailed."""
        for waiting in self.waiting():  # not for the new address
            self.drop(waiting)
        self._sent.remove(f"{AlertChannel.WEBHOOK}.json")
        if webhook is None:
            self._webhook.remove(WEBHOOK)
        else:
            self._webhook.write(webhook)

    def waiting(self) -> tuple[WaitingAlert, ...]:
        """Return the messages that wait, the oldest first; those that waited too long are dropped."""
        found = sorted(self._waiting.all(), key=lambda one: one.alert.at_s)
        late = [one for one in found if time.time() - one.alert.at_s > _KEPT_SECONDS]
        for one in (*late, *found[: max(0, len(found) - _MAX_WAITING)]):
            self.drop(one)
        return tuple(one for one in found[-_MAX_WAITING:] if one not in late)

    def put(self, alert: Alert) -> None:
        """Let ``alert`` wait to be posted; raises JobFailed."""
        self._waiting.write(WaitingAlert(secrets.token_hex(8), alert))

    def drop(self, waiting: WaitingAlert) -> None:
        """Remove a message that was posted; raises JobFailed."""
        self._waiting.remove(_id_of(waiting))

    def is_told(self, uuid: str, serials: tuple[str, ...]) -> bool:
        """Return whether a message told of just these lost disks of the volume within the last hour."""
        told = self._losses.get(_loss_name(uuid))
        return told is not None and told.serials == serials and 0 <= time.time() - told.at_s < _ONE_EVENT_SECONDS

    def note_loss(self, uuid: str, serials: tuple[str, ...]) -> None:
        """Record a message on these lost disks, or that none is lost; raises JobFailed."""
        if serials:
            self._losses.write(ToldLoss(uuid, serials, int(time.time())))
        elif self._losses.get(_loss_name(uuid)) is not None:
            self._losses.remove(_loss_name(uuid))

    def note_event(self) -> None:
        """Record that md's monitor has reported an event; raises JobFailed."""
        self._sent.write(Delivery(_MONITOR, int(time.time())))

    def event_s(self) -> int | None:
        """Return the time of the monitor's last event."""
        last = self._sent.get(f"{_MONITOR}.json")
        return last.sent_s if last else None

    def note(self, channel: AlertChannel, failure: str = "") -> None:
        """Record that a message went out by ``channel``, or the ``failure``; raises JobFailed."""
        last = self.last(channel)
        self._sent.write(
            replace(last, failure=printable(failure, _MAX_FAILURE))
            if failure
            else Delivery(str(channel), int(time.time()))
        )

    def last(self, channel: AlertChannel) -> Delivery:
        """Return the channel's last message."""
        return self._sent.get(f"{channel}.json") or Delivery(str(channel))


def _name_of(delivery: Delivery) -> str:
    return f"{delivery.name}.json"


def _loss_name(uuid: str) -> str:
    return f"{md.checked_uuid(uuid).replace(':', '-')}.json"


def _read_told_loss(data: object, _version: int) -> ToldLoss:
    fields = Fields(data, "the record")
    found = ToldLoss(
        md.checked_uuid(fields.require("uuid", str)),
        tuple(map(printable, fields.texts("serials"))),
        fields.count("at_s"),
    )
    fields.finish()
    return found


def _id_of(waiting: WaitingAlert) -> str:
    return f"{waiting.id}.json"


def _loss(name: str) -> str:
    if name == WEBHOOK:
        return "Nothing is posted any more until the webhook is set again."
    return "It isn't known any more; the next message is."


def _read_webhook(data: object, _version: int) -> Webhook:
    fields = Fields(data, "the webhook")
    kind, url, token = fields.require_choice("kind", WebhookKind), fields.require("url", str), fields.take("token", str)
    fields.finish()
    return checked_webhook(kind, url, token or "")


def _read_delivery(data: object, _version: int) -> Delivery:
    fields = Fields(data, "the record")
    found = Delivery(
        fields.require("name", str), fields.positive("sent_s"), printable(fields.require("failure", str), _MAX_FAILURE)
    )
    fields.finish()
    if found.name not in (*AlertChannel, _MONITOR):
        raise InputError("it is of no channel", code="record-channel")
    return found


def _read_waiting(data: object, _version: int) -> WaitingAlert:
    fields = Fields(data, "the record")
    name, alert = fields.require("id", str), Fields(fields.require("alert", dict), "the message")
    fields.finish()
    found = Alert(
        alert.require("title", str), alert.require("text", str), alert.count("at_s"), alert.require("is_urgent", bool)
    )
    alert.finish()
    return WaitingAlert(name, found)
