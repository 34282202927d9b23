"""The verbs that change an array's shape: looking first, changing, and the pace of md's work meanwhile."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.json_fields import Fields
from raidwright.core.lvm.values import VolumeGrowth
from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.md.changes.ways import shrunk_sectors
from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.md.sync import NO_LIMIT_KIB_S
from raidwright.core.model.plan import JOINED, LAYER_WORDS, Consistency, Member
from raidwright.core.model.plan_json import read_member
from raidwright.core.protocol import actions, looking, verbs
from raidwright.core.protocol.actions import Action
from raidwright.core.protocol.facts import ChangeGround
from raidwright.core.protocol.results import ArrayChanged
from raidwright.core.protocol.signature_names import for_prompt
from raidwright.core.sizes import decimal_size
from raidwright.core.units import SECTOR_BYTES

from raidwright_helper.acts import change, grow_joined, volumes
from raidwright_helper.acts.change import ChangeRequest
from raidwright_helper.acts.change_step import Kept
from raidwright_helper.host.array_plan import ground_of, plan_of_number
from raidwright_helper.host.arrays import find_array, find_filled, number_meant, pin_running, verify_name
from raidwright_helper.host.host import Host
from raidwright_helper.host.lvm import label_meant
from raidwright_helper.host.power import PowerStates
from raidwright_helper.host.seen import labels_of_disks, seen_array
from raidwright_helper.host.superblocks import formers_of
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job, Jobs
from raidwright_helper.jobs.journal import Record
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.changes import Changes
from raidwright_helper.records.checks import Checks
from raidwright_helper.records.ends import HiddenEnds
from raidwright_helper.records.scratch import ScratchArrays

from . import arguments
from .method import AuthorisedCall, Method

_LIMIT_SECONDS = 60 * 86400.0  # a reshape of many large disks takes weeks
_MAX_ADDED = 64
_MAX_SLOTS = 1920
_MAX_CHUNK_KIB = 2**20
_HARMLESS = {"reshape", "check", "repair"}  # what md does that may be held back for as long as one likes


@dataclass(frozen=True, slots=True)
class ChangeVerbs:
    """The verbs on the shape of ``host``'s arrays."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays
    builds: Builds
    checks: Checks
    changes: Changes
    power: PowerStates
    ends: HiddenEnds

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        return (
            Method(looking.EXAMINE_CHANGE, self._examine, choose=look_action),
            Method(verbs.CHANGE_ARRAY, self._change, self._details, change_action),
            Method(verbs.PACE_CHANGE, self._pace, self._array_details, self._pace_action),
        )

    @property
    def _kept(self) -> Kept:
        return Kept(self.builds, self.changes, self.checks, self.claims, self.ends)

    async def _examine(self, call: AuthorisedCall) -> object:
        uuid, name, wakes = call.arguments
        host, number = self.host, number_meant(self.host, uuid, name)

        async def look() -> tuple[str, ChangeGround]:
            read = host.leaves(number) | {host.whole(one) for one in formers_of(host, uuid, number)}
            for disk in () if wakes else sorted(read):
                await self.power.verify_awake(host, disk, host.kernel_name(disk))
            with contextlib.ExitStack() as until:
                is_array = (host.block_dir(number) / "md").exists()
                found = await (pin_running(host, uuid, until) if is_array else find_filled(host, uuid, name, until))
                return found.array.name, await ground_of(host, found)

        called, ground = await host.looks.shared((number, *host.slaves(number)), look, wakes=wakes)
        verify_name(called, name)
        return ground

    async def _change(self, call: AuthorisedCall) -> object:
        request = read_change(call.arguments)
        self.scratch.verify_real(request.array_uuid)
        if isinstance(request.goal, VolumeGrowth) and volumes.volume_meant(
            self.host, request.array_uuid, request.array_name
        ):
            return await self._grow(call, request, request.goal)
        with contextlib.ExitStack() as until:
            held = await change.hold(self.host, self.claims, request, until)
            disks = [f"{self.host.kernel_name(held.devices[disk.id].number)}: {disk.id}" for disk in request.goal.new]
            record = Record(verbs.CHANGE_ARRAY.name, call.uid, [held.array.label, change_words(request.goal), *disks])

            async def work(job: Job) -> ArrayChanged:
                return await change.change_array(self.host, self._kept, held, call.uid, job)

            kept = until.pop_all()
            return self.jobs.start(call.sender, record, work, limit_s=_LIMIT_SECONDS, until=kept, ends_with_owner=False)

    async def _grow(self, call: AuthorisedCall, request: ChangeRequest, goal: VolumeGrowth) -> object:
        """Grow a joined volume onto the room of its disks, and of those that are added."""
        with contextlib.ExitStack() as until:
            held = await grow_joined.hold(self.host, self.claims, self.builds, request, goal, until)
            disks = [f"{self.host.kernel_name(number)}: {disk.id}" for number, disk in held.disks.items()]
            record = Record(verbs.CHANGE_ARRAY.name, call.uid, [held.volume.label, change_words(goal), *disks])

            async def work(job: Job) -> ArrayChanged:
                return await grow_joined.grow(self.host, self._kept, held, call.uid, job)

            lowest = held.bands[0].array.number
            kept = contextlib.ExitStack()
            kept.callback(self.host.announce, lowest)  # once nothing is claimed: a growth that was cut off is told then
            kept.push(until.pop_all())
            self.host.announce(lowest)
            return self.jobs.start(call.sender, record, work, limit_s=_LIMIT_SECONDS, until=kept, ends_with_owner=False)

    async def _pace(self, call: AuthorisedCall) -> object:
        uuid, name, kib_per_s = call.arguments
        self.scratch.verify_real(uuid)
        with contextlib.ExitStack() as until:
            found = await find_array(self.host, uuid, name, until)
            change.pace(self.host, found, kib_per_s)
            self.host.announce(found.array.number)
        return None

    def _pace_action(self, values: Sequence[Any]) -> Action:
        """Return the action: a limit on anything but a reshape or a check holds back, now or later, a rebuild."""
        array = seen_array(self.host, values[0])
        action = self.host.attribute(array.number, "md/sync_action") if array else ""
        is_free = values[2] == NO_LIMIT_KIB_S or action in _HARMLESS
        return actions.PACE_CHANGE if is_free else actions.PACE_REBUILD

    def _details(self, values: Sequence[Any]) -> Mapping[str, str]:
        try:
            request = read_change(values)
        except InputError:
            return {**self._array_details(values), "change": "?", "disks": "?", "removed": "?"}  # refused afterwards
        names = [for_prompt(name) for wiped in request.wipe.values() for name in wiped]
        return {
            **self._array_details(values),
            "change": change_words(request.goal) + self._end_words(request),
            "disks": arguments.listed(request.goal.new, partial(labels_of_disks, self.host)) or "none",
            "removed": arguments.listed(names, list),
        }

    def _end_words(self, request: ChangeRequest) -> str:
        """Return the words on the end of an array that gets smaller; "" for any other."""
        array = seen_array(self.host, request.array_uuid)
        if array is None or isinstance(request.goal, VolumeGrowth):
            return ""
        with contextlib.suppress(RaidwrightError):  # refused afterwards
            sectors = shrunk_sectors(plan_of_number(self.host, array.number, array.label, {}), request.goal)
            if sectors is not None:
                end = decimal_size(sectors * SECTOR_BYTES)
                return f"; it gets smaller and ends after {end}, and what lies beyond is lost"
        return ""

    def _array_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        return {"array": label_meant(self.host, *values[:2])}


def look_action(values: Sequence[Any]) -> Action:
    """Return the action: disks that sleep are woken by the right to read signatures."""
    return actions.EXAMINE_SIGNATURES if values[2] else actions.EXAMINE


def change_action(values: Sequence[Any]) -> Action:
    """Return the action: erasing disks' signatures has its own."""
    return actions.CHANGE_ARRAY_WIPING if any("wipe" in disk for disk in values[3]) else actions.CHANGE_ARRAY


def change_words(goal: ChangeWish | VolumeGrowth) -> str:
    """Return the goal in words of a closed form, for the prompt and the journal."""
    if isinstance(goal, VolumeGrowth):
        return f"{JOINED} of {goal.slots}" + (", all of its members' space" if goal.larger else "")
    said = [f"{goal.level} of {goal.slots}"]
    said += [f"layout {goal.layout}"] if goal.layout else []
    said += [f"chunk {goal.chunk_kib} KiB"] if goal.chunk_kib else []
    said += ["all of its members' space"] if goal.larger else []
    said += [f"consistency {goal.consistency}"] if goal.consistency else []
    said += ["disks in the places of smaller members"] if goal.exchange else []
    return ", ".join(said)


def read_change(values: Sequence[Any]) -> ChangeRequest:
    """Read the request; raises InputError."""
    uuid, name, data, disks = values
    goal = Fields(data, "The goal")
    word = goal.require_word("level", LAYER_WORDS)
    slots, chunk_kib = goal.positive("slots"), goal.positive("chunk_kib")
    layout, larger = goal.take("layout", str), goal.take("larger", bool)
    consistency, exchanges = goal.choice("consistency", Consistency), bool(goal.take("exchange", bool))
    goal.finish()
    if slots is None or slots > _MAX_SLOTS:
        raise InputError("The goal says how many members there are, {most} at most.", code="slots", most=_MAX_SLOTS)
    if word == JOINED and (layout or chunk_kib or consistency or exchanges):
        raise InputError("A joined volume grows by disks; its arrays keep layout and chunk.", code="change-refused")
    if chunk_kib is not None and (chunk_kib > _MAX_CHUNK_KIB or chunk_kib & (chunk_kib - 1) or chunk_kib < 4):
        raise InputError("A chunk is a power of two from 4 KiB.", code="chunk")
    if len(disks) > _MAX_ADDED:
        raise InputError("At most {most} disks are added at once.", code="members", most=_MAX_ADDED)
    new, wiped = _read_added(disks)
    if word == JOINED:
        return ChangeRequest(uuid, name, VolumeGrowth(new, slots, bool(larger)), wiped)
    wish = ChangeWish(
        add=() if exchanges else new,
        level=Level(word),
        layout=canonical_layout(word, layout) if layout else None,
        chunk_kib=chunk_kib,
        slots=slots,
        larger=bool(larger),
        consistency=consistency,
        exchange=new if exchanges else (),
    )
    return ChangeRequest(uuid, name, wish, wiped)


def _read_added(disks: Sequence[Mapping[str, object]]) -> tuple[tuple[Member, ...], dict[str, tuple[str, ...]]]:
    """Read the disks to add; ``wipe`` beside a disk's fields names the signatures that it releases."""
    plain = [{**disk} for disk in disks]
    names = [disk.pop("wipe", None) for disk in plain]
    added = tuple(map(read_member, plain))
    if len({disk.id for disk in added}) < len(added):
        raise InputError("Name each disk once.", code="disk-twice")
    wiped = {}
    for disk, released in zip(added, names, strict=True):
        if released is not None:
            if not isinstance(released, list) or not released:
                raise InputError("What is given up is a list of signatures, such as ext4.", code="signatures")
            wiped[disk.id] = arguments.read_signatures(released)
    return added, wiped
