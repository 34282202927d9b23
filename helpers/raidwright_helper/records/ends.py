"""Ends of arrays that are hidden (md's array_size) until their reshape has begun, and shown again if it doesn't.

The record is there before the end is hidden, so the next helper shows the end of one that was killed in between. md
itself forgets a hidden end when the array stops.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.json_fields import Fields

from raidwright_helper.host import md
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import run
from raidwright_helper.host.running_state import reshapes
from raidwright_helper.host.seen import seen_array
from raidwright_helper.jobs.claims import Claims

from .store import Store

_LOG = logging.getLogger("raidwright-helper")
_WHOLE = "max"  # mdadm(8), --array-size
_LIMIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class HiddenEnd:
    """An array's UUID, and md's array_size with the end hidden and before: KiB, ``before`` also "max"."""

    uuid: str
    hidden: str
    before: str


class HiddenEnds:
    """The hidden ends; ``folder`` is created on first use."""

    def __init__(self, host: Host, folder: Path) -> None:
        self._host = host
        self._store = Store(
            folder,
            "record of a hidden end",
            name=lambda end: _name(end.uuid),
            read=_read,
            loss=lambda _: "If its array ends too early: mdadm --grow ARRAY --array-size=max.",
        )

    def begin(self, array: md.RunningArray, hidden: str) -> HiddenEnd:
        """Record the array's end, about to be hidden; an end hidden before stays as it was recorded then."""
        now = self._host.attribute(array.number, "md/array_size")  # in KiB, or "default"
        left = self._store.get(_name(array.uuid))
        before = left.before if left is not None and left.hidden == now else now if now.isdecimal() else _WHOLE
        end = HiddenEnd(array.uuid, hidden, before)
        self._store.write(end)
        return end

    async def show(self, array: md.RunningArray, end: HiddenEnd, log: list[str]) -> None:
        """Show the end again, and remove its record; raises JobFailed."""
        argv = (md.MDADM, "--grow", array.node, f"--array-size={end.before}")
        log.append((await run(argv, limit_s=_LIMIT_SECONDS)).command)
        self.forget(end)

    def forget(self, end: HiddenEnd) -> None:
        """Remove the record; raises JobFailed."""
        self._store.remove(_name(end.uuid))

    async def show_left(self, claims: Claims) -> None:
        """Show the ends that a killed helper has left hidden; what fails is left to the next helper."""
        for end in self._store.all():
            try:
                for number in self._left(end):
                    with claims.hold({number, *self._host.leaves(number)}):
                        log: list[str] = []
                        await self.show(await md.read_array(self._host, number), end, log)
                    self._host.announce(number)
                    _LOG.info("the end of an array that a cut-off change had hidden is shown: %s", "; ".join(log))
                self.forget(end)
            except RaidwrightError as error:
                _LOG.warning("the end of %s stays hidden: %s", end.uuid, error)

    def _left(self, end: HiddenEnd) -> Iterator[int]:
        """Yield the array if it still runs with its end hidden and no reshape has begun, which needs it so."""
        found = seen_array(self._host, end.uuid)
        if found is None or reshapes(self._host, found.number):
            return
        if self._host.attribute(found.number, "md/array_size") == end.hidden:
            yield found.number


def _read(data: object, _version: int) -> HiddenEnd:
    fields = Fields(data, "the end")
    end = HiddenEnd(
        md.checked_uuid(fields.require("uuid", str)), fields.require("hidden", str), fields.require("before", str)
    )
    fields.finish()
    if not end.hidden.isdecimal() or not (end.before.isdecimal() or end.before == _WHOLE):
        raise InputError("an array's size is in KiB", code="record-size")
    return end


def _name(uuid: str) -> str:
    return f"{uuid.replace(':', '-')}.json"
