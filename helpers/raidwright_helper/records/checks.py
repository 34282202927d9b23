"""Records of md checks: their time and mismatches.

One record (``store``) per array below the state directory, with its last checks. A check belongs to md and continues
without us; its result is read from sysfs: ``sync_action`` and ``mismatch_cnt``, which stay until the next one or until
a reboot. (kernel ``Documentation/admin-guide/md.rst``; ``md.c md_do_sync`` resumes at ``sync_min``, where an idle check
stopped, and counts mismatches from zero each time.)
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.json_fields import Fields, printable
from raidwright.core.protocol.facts import CheckState

from raidwright_helper.host import md
from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import name_of, uuid_of

from .copies import Copies
from .store import Store

_MAX_KEPT = 32
_PAUSE_PATIENCE_S = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)


@dataclass(frozen=True, slots=True)
class KeptCheck:
    """A check, in Unix seconds; ``mismatch_sectors`` differ so far. ``earlier_sectors``: before a pause."""

    uuid: str
    name: str
    boot_id: str
    began_s: int
    state: CheckState = CheckState.RUNNING
    ended_s: int | None = None
    mismatch_sectors: int = 0
    earlier_sectors: int = 0


@dataclass(frozen=True, slots=True)
class _Kept:
    """The last checks of an array, at least one, the latest at the end."""

    checks: tuple[KeptCheck, ...]


class Checks:
    """The checks that this helper, or an earlier one, has started, or mdadm's monitor reported.

    ``folder`` is created on first use.
    """

    def __init__(self, host: Host, folder: Path) -> None:
        self._host = host
        self._store = Store(
            folder, "record of checks", name=lambda kept: _name_of(kept.checks[0].uuid), read=_read, loss=_loss
        )
        self.copies = Copies(host, folder / "copies")
        self.are_running = False  # as of the last look: somebody has to see their end

    def all(self) -> tuple[KeptCheck, ...]:
        """Return every recorded check, the latest first."""
        # Each record has the latest at its end; two may have begun in the same second.
        kept = [check for one in self._store.all() for check in reversed(one.checks)]
        return tuple(sorted(kept, key=lambda check: check.began_s, reverse=True))

    async def start(self, array: PinnedArray, *, anew: bool = False) -> KeptCheck:
        """Start md's check of the array, from where a paused check stopped unless ``anew``; raises JobFailed."""
        number = array.array.number
        await self.reconcile()
        kept = self._kept(array.array.uuid)
        last = kept[-1] if kept else None
        if not anew and last and last.state is CheckState.PAUSED and last.boot_id == self._host.boot_id:
            kept = kept[:-1]
            check = replace(last, state=CheckState.RUNNING, ended_s=None, earlier_sectors=last.mismatch_sectors)
        else:
            check = KeptCheck(array.array.uuid, array.array.name, self._host.boot_id, int(time.time()))
            self._write(number, "sync_min", "0")
        self._write(number, "sync_action", "check")
        self.are_running = True
        self._keep([*kept, check])
        return check

    async def note_begun(self, number: int) -> None:
        """Record a check that others started, such as Debian's monthly one; a paused one continues."""
        await self.reconcile()
        kept = self._kept(uuid := await self._uuid_of(number))
        last = kept[-1] if kept else None
        if last and last.state is CheckState.RUNNING:
            return
        resumed = self._host.attribute(number, "md/sync_min") not in ("0", "")
        if last and resumed and last.state is CheckState.PAUSED and last.boot_id == self._host.boot_id:
            again = replace(last, state=CheckState.RUNNING, ended_s=None, earlier_sectors=last.mismatch_sectors)
            self._keep([*kept[:-1], again])
        else:
            name = name_of(self._host.udev(number).properties.get("MD_NAME", ""), uuid)
            self._keep([*kept, KeptCheck(uuid, name, self._host.boot_id, int(time.time()))])

    def is_paused(self, uuid: str) -> bool:
        """Return whether the array's last check was paused since the computer started, so that it can continue."""
        last = next(reversed(self._kept(uuid)), None)
        return last is not None and last.state is CheckState.PAUSED and last.boot_id == self._host.boot_id

    def verify_may_start(self, array: PinnedArray) -> None:
        """Raise InputError if there is nothing to compare, DiskRefused while md is busy or a member is missing."""
        action = self._host.attribute(array.array.number, "md/sync_action")
        if not action:
            raise InputError(
                "The array {array} has no copies or parity to compare.", code="check-pointless", array=array.label
            )
        if action != "idle":
            raise DiskRefused(
                "md is busy with {array} ({action}); wait until it is idle.",
                code="array-busy",
                array=array.label,
                action=action,
            )
        if int(self._host.attribute(array.array.number, "md/degraded") or 0):
            raise DiskRefused(
                "{array} can't be checked while a member is missing: bring that back first.",
                code="array-degraded",
                array=array.label,
            )

    def verify_may_pause(self, array: PinnedArray) -> None:
        """Raise InputError unless a check runs; a resync or a recovery is never stopped."""
        if self._host.attribute(array.array.number, "md/sync_action") != "check":
            raise InputError("No check of {array} is running.", code="check-not-running", array=array.label)

    async def pause(self, array: PinnedArray) -> KeptCheck:
        """Pause the running check, whoever started it; the next start continues there. Raises JobFailed."""
        number = array.array.number
        self._write(number, "sync_action", "idle")
        for patience_s in _PAUSE_PATIENCE_S:
            if self._host.attribute(number, "md/sync_action") == "idle":
                break
            await asyncio.sleep(patience_s)
        else:
            raise JobFailed("md goes on checking {array}; try again later.", code="check-goes-on", array=array.label)
        kept = self._kept(array.array.uuid)
        if kept and kept[-1].state is CheckState.RUNNING:
            kept, running = kept[:-1], kept[-1]
        else:
            running = KeptCheck(array.array.uuid, array.array.name, self._host.boot_id, int(time.time()))
        paused = self._ended(running, number, CheckState.PAUSED)
        self._keep([*kept, paused])
        return paused

    async def reconcile(self) -> None:
        """Record the end of each check that has ended since the last call; raises JobFailed."""
        running = [check for check in self.all() if check.state is CheckState.RUNNING]
        numbers = await self._numbers() if running else {}
        for check in running:
            now = self._now(check, numbers.get(check.uuid))
            if now != check:
                self._keep([*(one for one in self._kept(check.uuid) if one != check), now])
        self.are_running = any(check.state is CheckState.RUNNING for check in self.all())

    async def _numbers(self) -> Mapping[str, int]:
        checkable = [one for one in self._host.arrays() if self._host.attribute(one, "md/sync_action")]
        return {await self._uuid_of(number): number for number in checkable}

    async def _uuid_of(self, number: int) -> str:
        """Return the UUID, if possible without opening the array: ``mdadm --detail`` would block others meanwhile."""
        return uuid_of(self._host, number) or (await md.read_array(self._host, number)).uuid

    def _now(self, check: KeptCheck, number: int | None) -> KeptCheck:
        if number is None or check.boot_id != self._host.boot_id:
            return replace(check, state=CheckState.INTERRUPTED, ended_s=int(time.time()))
        if self._host.attribute(number, "md/sync_action") == "check":
            return check
        # md forgets where a check began once it has ended, and keeps where it stopped before that.
        if self._host.attribute(number, "md/sync_min") in ("0", ""):
            return self._ended(check, number, CheckState.DONE)
        # Debian's monthly check has six hours per night, and continues there the next night.
        is_degraded = self._host.attribute(number, "md/degraded") not in ("0", "")
        return self._ended(check, number, CheckState.INTERRUPTED if is_degraded else CheckState.PAUSED)

    def _ended(self, check: KeptCheck, number: int, state: CheckState) -> KeptCheck:
        found = check.earlier_sectors + int(self._host.attribute(number, "md/mismatch_cnt") or 0)
        return replace(check, state=state, ended_s=int(time.time()), mismatch_sectors=found)

    def _write(self, number: int, attribute: str, text: str) -> None:
        try:
            (self._host.block_dir(number) / "md" / attribute).write_text(text, encoding="ascii")
        except OSError as error:
            raise JobFailed(
                "md refused “{text}” ({why}); try again.", code="md-refused", text=text, why=error.strerror
            ) from error

    def _kept(self, uuid: str) -> tuple[KeptCheck, ...]:
        kept = self._store.get(_name_of(uuid))
        return kept.checks if kept else ()

    def _keep(self, checks: Sequence[KeptCheck]) -> None:
        self._store.write(_Kept(tuple(checks[-_MAX_KEPT:])))


def _name_of(uuid: str) -> str:
    return f"{md.checked_uuid(uuid).replace(':', '-')}.json"


def _loss(_name: str) -> str:
    return "The checks of that array aren't listed any more; those that begin now are."


def _read(data: object, version: int) -> _Kept:
    fields = Fields({"checks": data} if version == 1 else data, "the record")
    checks = tuple(map(_read_check, fields.require("checks", list)))
    fields.finish()
    if len({check.uuid for check in checks}) != 1:
        raise InputError("it isn't of one array", code="record-array")
    return _Kept(checks)


def _read_check(data: object) -> KeptCheck:
    fields = Fields(data, "a check")
    check = KeptCheck(
        uuid=md.checked_uuid(fields.require("uuid", str)),
        name=printable(fields.require("name", str)),
        boot_id=printable(fields.require("boot_id", str)),
        began_s=fields.count("began_s"),
        state=fields.require_choice("state", CheckState),
        ended_s=fields.positive("ended_s"),
        mismatch_sectors=fields.count("mismatch_sectors"),
        earlier_sectors=fields.count("earlier_sectors"),
    )
    fields.finish()
    return check
