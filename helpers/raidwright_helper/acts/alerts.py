"""Messages to people about an array: by mail, and to a webhook; a test of each, and what is known of the last.

A mail goes to MAILADDR of mdadm.conf at once. A message to the webhook is put down first and posted by a unit of its
own (``outside.posting_argv``): md's monitor waits for its program, and at boot it runs before there is a network.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from dataclasses import dataclass
from email.message import EmailMessage
from typing import TYPE_CHECKING

from raidwright.core.errors import InputError, JobFailed, RaidwrightError
from raidwright.core.json_fields import printable
from raidwright.core.protocol.errors import read_failure
from raidwright.core.protocol.facts import AlertChannel, AlertFacts
from raidwright.core.protocol.results import AlertSent
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.config_files import checked_mail, value_of
from raidwright.core.system.webhook import Alert

from raidwright_helper.host import system_files
from raidwright_helper.host.host import Host
from raidwright_helper.host.mdadm_files import conf_paths
from raidwright_helper.host.outside import SYSTEMCTL, SYSTEMD_RUN, posting_argv, unit_argv
from raidwright_helper.host.runner import run
from raidwright_helper.records.alerts import AlertRecords

from .post import post

if TYPE_CHECKING:  # the monitor's program has no D-Bus
    from raidwright_helper.jobs.jobs import Job

PROGRAM = "/usr/libexec/raidwright-event"
SENDMAIL = "/usr/sbin/sendmail"
MONITOR = "mdmonitor.service"
_MAIL_SECONDS = 30.0
_TEST_SECONDS = 60.0
_SYSTEMD_SECONDS = 10.0
_INACTIVE = 3  # systemctl's code
_BEGIN_PAUSES_S = (0.0, 0.5, 2.0)  # the unit may be about to end, without having seen the newest message


@dataclass(frozen=True, slots=True)
class Alerts:
    """The messages of ``host``, and the programs that send them."""

    host: Host
    records: AlertRecords
    sendmail: str = SENDMAIL
    systemd_run: str = SYSTEMD_RUN

    async def send(self, alert: Alert) -> None:
        """Send ``alert`` by each channel that is set up; raises JobFailed if one fails, after the others."""
        failures: list[RaidwrightError] = []
        if self.records.webhook() is not None:
            try:
                self.records.put(alert)
                await self.begin_posting()
            except RaidwrightError as error:
                failures.append(error)
        try:
            await self.mail(alert)
        except RaidwrightError as error:
            failures.append(error)
        if failures:
            raise failures[0]

    async def begin_posting(self) -> None:
        """Begin the unit that posts what waits. If it runs already, it posts this, too, now or with its next try."""
        argv = (self.systemd_run, *posting_argv((PROGRAM, "--deliver"), str(self.records.folder), waits=False)[1:])
        for pause_s in _BEGIN_PAUSES_S:
            await asyncio.sleep(pause_s)
            if not self.records.waiting():
                return
            try:
                await run(argv, limit_s=_SYSTEMD_SECONDS)
            except JobFailed:
                continue
            return

    def deliver(self) -> None:
        """Post what waits until nothing does; raises JobFailed at the first failure, with the rest still waiting."""
        while (webhook := self.records.webhook()) is not None and (waiting := self.records.waiting()):
            try:
                post(webhook, waiting[0].alert)
            except JobFailed as error:
                self.records.note(AlertChannel.WEBHOOK, str(error))
                raise
            self.records.drop(waiting[0])
            self.records.note(AlertChannel.WEBHOOK)

    async def mail(self, alert: Alert) -> bool:
        """Mail ``alert`` to MAILADDR, and return whether there is one; raises JobFailed, InputError."""
        if not (address := self._value("MAILADDR")):
            return False
        mail = EmailMessage()
        mail["To"] = checked_mail(address)
        mail["From"] = checked_mail(self._value("MAILFROM") or "root")
        mail["Subject"] = plain(alert.title)
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(alert.text, cte="8bit")
        try:
            await run((self.sendmail, "-t", "-oi"), limit_s=_MAIL_SECONDS, given=bytes(mail))
        except JobFailed as error:
            self.records.note(AlertChannel.MAIL, str(error))
            raise
        self.records.note(AlertChannel.MAIL)
        return True

    async def test(self, channel: AlertChannel) -> None:
        """Send a test message by ``channel``; raises JobFailed, and InputError if it isn't set up."""
        computer = os.uname().nodename
        text = f"This message from {computer} shows that messages about its arrays arrive here.\n"
        alert = Alert(plain(f"{computer}: a test of its messages"), text, int(time.time()), is_urgent=False)
        webhook = self.records.webhook()
        if channel is AlertChannel.MAIL and await self.mail(alert):
            return
        if channel is AlertChannel.MAIL or webhook is None:
            raise _not_set_up(channel)
        try:
            post(webhook, alert)
        except JobFailed as error:
            self.records.note(channel, str(error))
            raise
        self.records.note(channel)

    async def examine(self) -> AlertFacts:
        """Return who is told, and when that last happened."""
        webhook, mail, posted = self.records.webhook(), *map(self.records.last, AlertChannel)
        return AlertFacts(
            mail=printable(self._value("MAILADDR")),
            can_mail=(self.host.root / self.sendmail.lstrip("/")).exists(),
            webhook=webhook.place if webhook else "",
            kind=webhook.kind if webhook else "",
            has_token=bool(webhook and webhook.token),
            waiting=len(self.records.waiting()),
            watches=await _watches(),
            is_called=self._value("PROGRAM") == PROGRAM,
            event_s=self.records.event_s(),
            mail_sent_s=mail.sent_s,
            mail_failure=mail.failure,
            webhook_sent_s=posted.sent_s,
            webhook_failure=posted.failure,
        )

    def _value(self, keyword: str) -> str:
        """Return the value of ``keyword`` in mdadm's files; "" for none."""
        root = self.host.root
        files = [system_files.lenient_text(root / path.lstrip("/")) for path in conf_paths(root)]
        return value_of(files, keyword)


async def send_test(alerts: Alerts, channel: AlertChannel, job: Job) -> AlertSent:
    """Send a test message as an event's would be sent: a mail with root's rights, a post by a unit with a network.

    Raises InputError if the channel isn't set up, and JobFailed if the message didn't get out.
    """
    job.progress(JobStep.SEND, 0.1)
    argv = (PROGRAM, "--test", str(channel))
    if channel is AlertChannel.WEBHOOK:
        if alerts.records.webhook() is None:
            raise _not_set_up(channel)
        whole = posting_argv(argv, str(alerts.records.folder), waits=True)
    else:
        whole = unit_argv(argv)
    sent = await run(whole, limit_s=_TEST_SECONDS, accept=(0, 1))
    job.record.commands.append(f"# sent a test message by {channel}")
    if sent.code:
        raise _failure(sent.output) or sent.failure()
    return AlertSent(channel, job.record.log)


def _failure(output: str) -> RaidwrightError | None:
    """Return the error that the program printed; None if it printed none."""
    try:
        code, sentence, fields = json.loads(output)
        return read_failure(str(code), str(sentence), dict(fields))
    except (ValueError, TypeError):
        return None


def _not_set_up(channel: AlertChannel) -> InputError:
    if channel is AlertChannel.MAIL:
        return InputError(
            "mdadm.conf has no address for mail. Set one with “raidwright configure ARRAY --mail ADDRESS --apply”.",
            code="no-mail",
        )
    return InputError("There is no webhook yet.", code="no-webhook")


async def _watches() -> bool | None:
    """Return whether md's monitor runs; None if systemd doesn't say."""
    try:
        argv = (SYSTEMCTL, "is-active", "--quiet", MONITOR)
        return (await run(argv, limit_s=_SYSTEMD_SECONDS, accept=(0, _INACTIVE))).code == 0
    except JobFailed:
        return None


def plain(text: str) -> str:
    """Remove from ``text`` what a mail header would decode (RFC 2047, ``=?…?=``): a disk or array may contain it."""
    while "=?" in text:
        text = text.replace("=?", "")
    return text
