"""An event of mdadm's monitor, which runs this as root: messages that name the disk, and a note of the members.

md's own mail (MAILADDR) names a device such as /dev/sdb, which can be another disk after a reboot. This mail, to the
same address, names slot, model and serial. It is an additional one, so that mail is sent even without Raidwright. The
same message goes to the webhook, if there is one. Checks that others start (Debian's monthly one) are recorded, too.

Of the monitor's arguments, the event must be one of mdadm's, and the array an array's device; everything else is read
from the kernel. Sources: mdadm(8), Monitor mode; mdadm ``Monitor.c`` (``alert``: it waits for this program, and mails
by ``sendmail -t``).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from raidwright.core.errors import InputError, JobFailed, RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm import inner_name
from raidwright.core.protocol.errors import failure_of
from raidwright.core.protocol.facts import AlertChannel, CheckState
from raidwright.core.system.webhook import Alert

from raidwright_helper.host.arrays import would_stay_stopped
from raidwright_helper.host.host import Host
from raidwright_helper.host.lvm import joined_over
from raidwright_helper.host.members import missing, places, survives_without
from raidwright_helper.host.outside import SYSTEMD_RUN
from raidwright_helper.host.seen import name_of, uuid_of
from raidwright_helper.records.alerts import AlertRecords
from raidwright_helper.records.checks import Checks
from raidwright_helper.records.occupants import Occupant, Occupants, occupant

from .alerts import SENDMAIL, Alerts, plain

_STATE = Path("/var/lib/raidwright")
_DELIVER, _TEST = "--deliver", "--test"  # words of the helper's own units, not of the monitor


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
    """Context of the events: the host, the helper's records, and the programs that send messages."""

    host: Host = field(default_factory=Host)
    state: Path = _STATE
    sendmail: str = SENDMAIL
    systemd_run: str = SYSTEMD_RUN

    @property
    def alerts(self) -> Alerts:
        """The messages."""
        return Alerts(self.host, AlertRecords(self.state / "alerts"), self.sendmail, self.systemd_run)


async def handle(where: Monitored, event: str, array: str, member: str = "") -> None:
    """Handle ``event`` of the array at the path ``array``. Raises InputError, JobFailed."""
    if event not in set(Event):
        return  # another of mdadm's events, which needs no handling
    host, kind = where.host, Event(event)
    number = host.number_of(array)
    if number is None or number not in host.arrays():
        raise InputError("There is no array at the path that the monitor named.", code="event-array")
    with contextlib.suppress(JobFailed):  # the message counts more than its time
        where.alerts.records.note_event()
    checks = Checks(host, where.state / "checks")
    if kind is Event.SYNC_BEGUN and host.attribute(number, "md/sync_action") == "check":
        await checks.note_begun(number)
    known = Occupants(host, where.state / "members").note(number)
    if kind is Event.SYNC_ENDED and host.attribute(number, "md/last_sync_action") == "check":
        await checks.reconcile()
        last = next((one for one in checks.all() if one.uuid == uuid_of(host, number)), None)
        if last and last.state is CheckState.DONE and last.mismatch_sectors:
            await _tell(where, number, "its check found differences", _differs(last.mismatch_sectors))
    joined = joined_over(host, number) if kind is not Event.TEST else None
    volume = _lost_to_volume(where, *joined) if joined else None
    if kind in _TELLS_OF_A_LOSS and volume is not None and volume.lost:
        await _tell_of_volume(where, kind, volume)
    elif kind in _TELLS_OF_A_LOSS:
        lost = _lost(host, number, known) or _seen(host, member)
        open_slots = [] if lost or kind is not Event.DEGRADED else _open_slots(host, number)
        headline = "some of its slots are empty" if open_slots else _headline(kind, lost)
        await _tell(where, number, headline, [*_loss(host, number, lost), *open_slots])
    elif where.alerts.records.waiting():  # since before a reboot
        await where.alerts.begin_posting()


def _lost(host: Host, array: int, known: Mapping[int, Occupant]) -> list[Occupant]:
    """Return the last occupant of each slot without a working disk."""
    working = {place.slot for place in places(host, array) if place.works}
    return [one for slot, one in known.items() if slot not in working]


@dataclass(frozen=True, slots=True)
class _Volume:
    """A joined volume, its arrays by device number, and its lost disks, each once."""

    name: str
    uuid: str
    bands: tuple[int, ...]
    lost: tuple[Occupant, ...]

    @property
    def serials(self) -> tuple[str, ...]:
        return tuple(sorted(one.serial for one in self.lost))


def _lost_to_volume(where: Monitored, number: int, name: str) -> _Volume:
    """Return the joined volume with its lost disks; where none is lost any more, a later loss is told anew."""
    host, occupants = where.host, Occupants(where.host, where.state / "members")
    bands = host.slaves(number)
    lost = [one for band in bands for one in _lost(host, band, occupants.note(band))]
    disks = {(one.model, one.serial): replace(one, slot=None) for one in lost}
    names = {name_of(host.udev(band).properties.get("MD_NAME", ""), ""): band for band in bands}
    first = names.get(inner_name(name, 0), bands[0])
    volume = _Volume(name, uuid_of(host, first), bands, tuple(disks.values()))
    if not volume.lost:
        with contextlib.suppress(JobFailed):
            where.alerts.records.note_loss(volume.uuid, ())
    return volume


async def _tell_of_volume(where: Monitored, kind: Event, volume: _Volume) -> None:
    """Send one message on a disk that is lost to several arrays, as of the first of them; raises JobFailed."""
    host, records = where.host, where.alerts.records
    if records.is_told(volume.uuid, volume.serials):
        return
    disks = ", ".join(f"{one.model} {one.serial}".strip() for one in volume.lost)
    lines = [one.label for one in volume.lost]
    if all(survives_without(host, band) for band in volume.bands):
        lines += next(filter(None, (_not_to_restart(host, band) for band in volume.bands)), [])
        lines += ["", "What the volume survives now and what to do: raidwright array list, or the window."]
    else:
        lines += ["The volume can't give back all that it holds without them. Write nothing; pull nothing."]
    await _send(where, volume.name, volume.uuid, f"{_PLAIN[kind]} ({disks})", lines)
    with contextlib.suppress(JobFailed):  # twice is better than not at all
        records.note_loss(volume.uuid, volume.serials)


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
    return [
        *lines,
        *_not_to_restart(host, array),
        "",
        "What it survives now and what to do: raidwright array list, or the window.",
    ]


def _open_slots(host: Host, array: int) -> list[str]:
    """Return why empty slots of a mirror of two disks or more need be no loss; [] if it is none."""
    working = sum(place.works for place in places(host, array))
    if host.attribute(array, "md/level") != Level.RAID1 or working < 2:
        return []
    return ["No disk was ever seen in them. Makers of NAS keep a slot for each bay in the arrays of their system."]


def _not_to_restart(host: Host, array: int) -> list[str]:
    """Return what keeps people from switching off at once to exchange the disk, where that would cost the array."""
    words = (
        "Leave the computer on until its resync has ended: after a restart before that, md starts the array only by "
        "force, since its parity isn't computed to the end."
    )
    return [words] if would_stay_stopped(host, array) else []


def _differs(sectors: int) -> list[str]:
    return [
        f"The check has found {sectors * 512} bytes in places where copies or parity differ.",
        "On mirrors that are swapped to, some are harmless. Look at each disk's health: raidwright disks.",
    ]


async def _tell(where: Monitored, array: int, headline: str, lines: Sequence[str]) -> None:
    """Send a message by each channel; raises JobFailed if one fails, after the others."""
    uuid = uuid_of(where.host, array)
    name = name_of(where.host.udev(array).properties.get("MD_NAME", ""), uuid)
    await _send(where, name, uuid, headline, lines)


async def _send(where: Monitored, name: str, uuid: str, headline: str, lines: Sequence[str]) -> None:
    computer = os.uname().nodename
    text = "\n".join([f"The array {name} ({uuid}) on {computer}: {headline}.", "", *lines, ""])
    await where.alerts.send(Alert(plain(f"{name} on {computer}: {headline}"), text, int(time.time())))


def main(words: Sequence[str]) -> int:
    """Handle the monitor's event, array and optional member; return the exit code, which the monitor ignores.

    Units of the helper's own run it with ``--deliver``, and ``--test CHANNEL``, whose failure goes to standard output.
    """
    if len(words) < 2 and list(words) != [_DELIVER]:
        print("usage: raidwright-event EVENT ARRAY [MEMBER]; mdadm's monitor runs it", file=sys.stderr)
        return 2
    alerts = Monitored().alerts
    try:
        if words[0] == _DELIVER:
            alerts.deliver()
        elif words[0] == _TEST:
            return _tested(alerts, words[1])
        else:
            asyncio.run(handle(Monitored(), *words[:3]))
    except PermissionError as error:
        print(f"error: {error.strerror}: mdadm's monitor runs this as root, nobody else does", file=sys.stderr)
        return 2
    except (OSError, RaidwrightError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _tested(alerts: Alerts, channel: str) -> int:
    """Send a test message; print the failure for the helper, which ran this."""
    try:
        asyncio.run(alerts.test(AlertChannel(channel)))
    except RaidwrightError as error:
        print(json.dumps(failure_of(error)))
        return 1
    return 0
