"""Messages about arrays in words: who is told when a disk fails, when that last happened, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.protocol.facts import AlertChannel, AlertFacts
from raidwright.core.system.webhook import WebhookKind

from .catalogue import joined, ntr, tr
from .times import moment

_KINDS = {WebhookKind.NTFY: "ntfy", WebhookKind.GOTIFY: "Gotify", WebhookKind.JSON: "JSON"}


def kind_name(kind: str) -> str:
    """Return the name of a kind of webhook; a newer helper's as it is."""
    return _KINDS.get(WebhookKind(kind), kind) if kind in set(WebhookKind) else kind


def alert_line(facts: AlertFacts) -> str:
    """Return one line: who is told, when that last happened, and what needs doing."""
    return joined(told_words(facts), last_sent_words(facts), *trouble(facts))


def channel_lines(facts: AlertFacts) -> tuple[str, ...]:
    """Return a line for each channel that is set up."""
    lines = []
    if facts.mail:
        lines.append(joined(tr("Mail to {address}.", address=facts.mail), _sent(facts.mail_sent_s)))
    if facts.webhook:
        token = tr("with a token") if facts.has_token else tr("without a token")
        where = tr("Webhook: {place} ({kind}, {token}).", place=facts.webhook, kind=kind_name(facts.kind), token=token)
        lines.append(joined(where, _sent(facts.webhook_sent_s)))
    return tuple(lines)


def last_sent_words(facts: AlertFacts) -> str:
    """Return when the last message went out; "" if nobody is told at all."""
    return _sent(facts.sent_s) if facts.channels else ""


def trouble(facts: AlertFacts) -> Iterator[str]:
    """Yield what keeps messages from arriving, each with the remedy."""
    if facts.channels and facts.watches is False:
        yield tr("md's monitor doesn't run, so nobody is told: systemctl start mdmonitor.")
    if facts.webhook and not facts.is_called:
        yield tr("mdadm.conf names another PROGRAM than Raidwright's, so nothing is posted to the webhook.")
    if facts.mail and not facts.can_mail:
        yield tr("This computer has no mail server (/usr/sbin/sendmail), so no mail goes out.")
    elif facts.mail_failure:
        yield tr("The last mail didn't go out: {why}", why=facts.mail_failure)
    if facts.webhook_failure:
        yield facts.webhook_failure
    if facts.waiting:
        yield ntr("{count} message waits to be posted.", "{count} messages wait to be posted.", facts.waiting)


def sent_words(channel: AlertChannel, facts: AlertFacts) -> str:
    """Return that a test went out by ``channel``."""
    if channel is AlertChannel.MAIL:
        return tr("The mail server has taken the test for {address}. See that it arrives.", address=facts.mail)
    return tr("{place} has taken the test message.", place=facts.webhook)


def told_words(facts: AlertFacts) -> str:
    """Return who is told when a disk fails, as far as nothing known keeps the message from arriving."""
    match facts.arriving:
        case ():
            return tr("Nobody is told when a disk fails.")
        case (AlertChannel.MAIL,):
            return tr("Told when a disk fails: {address}.", address=facts.mail)
        case (AlertChannel.WEBHOOK,):
            return tr("Told when a disk fails: {place}.", place=facts.webhook)
    return tr("Told when a disk fails: {address} and {place}.", address=facts.mail, place=facts.webhook)


def _sent(sent_s: int | None) -> str:
    if sent_s is None:
        return tr("No message has gone out yet; send a test.")
    return tr("The last message went out {when}.", when=moment(sent_s))
