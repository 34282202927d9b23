"""An event of mdadm's monitor, which runs this as root: a mail that names the disk, and a note of the members.

md's own mail (MAILADDR) names a device such as /dev/sdb, which can be another disk after a reboot. This mail, to the
same address, names slot, model and serial. It is an additional one, so that mail is sent even without Raidwright.
Checks that others start (Debian's monthly one) are recorded here, too.

Of the monitor's arguments, the event must be one of mdadm's, and the array an array's device; everything else is read
from the kernel. Sources: mdadm(8), Monitor mode; mdadm ``Monitor.c`` (``alert``: it waits for this program, and mails
by ``sendmail -t``).
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from enum import StrEnum
from pathlib import Path

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.protocol.facts import CheckState
from raidwright.core.system.config_files import checked_mail, value_of

from raidwright_helper.host import system_files
from raidwright_helper.host.host import Host
from raidwright_helper.host.mdadm_files import conf_paths
from raidwright_helper.host.members import missing, places, survives_without
from raidwright_helper.host.runner import run
from raidwright_helper.host.seen import name_of, uuid_of
from raidwright_helper.records.checks import Checks
from raidwright_helper.records.occupants import Occupant, Occupants, occupant

PROGRAM = "/usr/libexec/raidwright-event"
_SENDMAIL = "/usr/sbin/sendmail"
_MAIL_SECONDS = 30.0
_STATE = Path("/var/lib/raidwright")


class Event(StrEnum):
    """mdadm's event names, of the events that are handled here."""

    FAIL = "Fail"
    FAIL_SPARE = "FailSpare"
    DEGRADED = "DegradedArray"
    TEST = "TestMessage"
    SYNC_BEGUN = "RebuildStarted"
    SYNC_ENDED = "RebuildFinished"
    SPARE_ACTIVE = "SpareActive"
    NEW = "NewArray"


_PLAIN = {Event.FAIL: "a disk has failed", Event.FAIL_SPARE: "a spare has failed", Event.DEGRADED: "a disk is missing"}
_TELLS_OF_A_LOSS = (*_PLAIN, Event.TEST)


@dataclass(frozen=True, slots=True)
class Monitored:
    """Context of the events: the host, the helper's records, and the mail program."""

    host: Host = field(default_factory=Host)
    state: Path = _STATE
    sendmail: str = _SENDMAIL


async def handle(where: Monitored, event: str, array: str, member: str = "") -> None:
    """Handle ``event`` of the array at the path ``array``. Raises InputError, JobFailed."""
    if event not in set(Event):
        return  # another of mdadm's events, which needs no handling
    host, kind = where.host, Event(event)
    number = host.number_of(array)
    if number is None or number not in host.arrays():
        raise InputError("There is no array at the path that the monitor named.", code="event-array")
    checks = Checks(host, where.state / "checks")
    if kind is Event.SYNC_BEGUN and host.attribute(number, "md/sync_action") == "check":
        await checks.note_begun(number)
    known = Occupants(host, where.state / "members").note(number)
    if kind is Event.SYNC_ENDED and host.attribute(number, "md/last_sync_action") == "check":
        await checks.reconcile()
        last = next((one for one in checks.all() if one.uuid == uuid_of(host, number)), None)
        if last and last.state is CheckState.DONE and last.mismatch_sectors:
            await _mail(where, number, "its check found differences", _differs(last.mismatch_sectors))
    if kind in _TELLS_OF_A_LOSS:
        lost = _lost(host, number, known) or _seen(host, member)
        await _mail(where, number, _headline(kind, lost), _loss(host, number, lost))


def _lost(host: Host, array: int, known: Mapping[int, Occupant]) -> list[Occupant]:
    """Return the last occupant of each slot without a working disk."""
    working = {place.slot for place in places(host, array) if place.works}
    return [one for slot, one in known.items() if slot not in working]


def _seen(host: Host, member: str) -> list[Occupant]:
    """Return the disk that the monitor names, all that is known of a spare; none once its name is gone."""
    number = host.number_of(member)
    return [] if number is None or not host.is_disk(host.whole(number)) else [occupant(host, None, number)]


def _headline(kind: Event, lost: Sequence[Occupant]) -> str:
    if kind is Event.TEST:
        return "a test of its mails"
    disks = ", ".join(f"{_place(one).lower()} {one.model} {one.serial}".rstrip() for one in lost)
    return f"{_PLAIN[kind]}{f' ({disks})' if disks else ''}"


def _place(one: Occupant) -> str:
    return "Spare" if one.slot is None else f"Slot {one.slot}:"


def _loss(host: Host, array: int, lost: Sequence[Occupant]) -> list[str]:
    gone = missing(host, array)
    slots = host.attribute(array, "md/raid_disks").partition(" ")[0]
    lines = [f"{_place(one)} {one.label}" for one in lost]
    if not gone:
        return [*lines, "Each slot has a working disk."]
    lines += [f"{gone} of {slots} slots {'has' if gone == 1 else 'have'} no working disk."]
    if not survives_without(host, array):
        return [*lines, "The array can't give back all that it holds without them. Write nothing; pull nothing."]
    return [*lines, "", "What it survives now and what to do: raidwright array list, or the window."]


def _differs(sectors: int) -> list[str]:
    return [
        f"The check has found {sectors * 512} bytes in places where copies or parity differ.",
        "On mirrors that are swapped to, some are harmless. Look at each disk's health: raidwright disks.",
    ]


async def _mail(where: Monitored, array: int, headline: str, lines: Sequence[str]) -> None:
    """Send a mail to MAILADDR of mdadm.conf, if there is one; raises JobFailed if that fails."""
    root = where.host.root
    files = [system_files.lenient_text(root / path.lstrip("/")) for path in conf_paths(root)]
    if not (address := value_of(files, "MAILADDR")):
        return
    uuid = uuid_of(where.host, array)
    name = name_of(where.host.udev(array).properties.get("MD_NAME", ""), uuid)
    computer = os.uname().nodename
    mail = EmailMessage()
    mail["To"] = checked_mail(address)
    mail["From"] = checked_mail(value_of(files, "MAILFROM") or "root")
    mail["Subject"] = _plain(f"{name} on {computer}: {headline}")
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content("\n".join([f"The array {name} ({uuid}) on {computer}: {headline}.", "", *lines, ""]), cte="8bit")
    await run((where.sendmail, "-t", "-oi"), limit_s=_MAIL_SECONDS, given=bytes(mail))


def _plain(text: str) -> str:
    """Remove from ``text`` what a mail header would decode (RFC 2047, ``=?…?=``): a disk or array may contain it."""
    while "=?" in text:
        text = text.replace("=?", "")
    return text


def main(words: Sequence[str]) -> int:
    """Handle the monitor's event, array and optional member; return the exit code, which the monitor ignores."""
    if len(words) < 2:
        print("usage: raidwright-event EVENT ARRAY [MEMBER]; mdadm's monitor runs it", file=sys.stderr)
        return 2
    try:
        asyncio.run(handle(Monitored(), *words[:3]))
    except PermissionError as error:
        print(f"error: {error.strerror}: mdadm's monitor runs this as root, nobody else does", file=sys.stderr)
        return 2
    except (OSError, RaidwrightError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0
