"""The privileged helper, as its client sees it: values out, jobs followed to their end.

What is asked and told: ``core.protocol``. A job's signals come to its owner alone, so no match rule
is needed for them; they are listened for before the call, because a job may speak before its path is known.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from dbus_fast.signature import Variant

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.model.disk import Health
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol import codec, verbs
from raidwright.core.protocol.errors import read_failure
from raidwright.core.protocol.facts import ArrayFacts, BuildRecord, DiskFacts, DiskHealth, DiskSignature, Membership
from raidwright.core.protocol.names import BUS_NAME, INTERFACE, JOB_INTERFACE, PATH
from raidwright.core.protocol.results import BuildResult, Sample, UndoResult, WorkloadResult
from raidwright.core.protocol.verbs import Verb
from raidwright.machine.bus import DAEMON, Bus, Call, Reply, Signal, owner_rule
from raidwright.machine.bus_errors import connection_lost, unreachable

from .job_progress import JobProgress

_CANCEL_SECONDS = 5.0
_EXAMINE_SECONDS = 30.0  # includes the helper's own start

_Result = TypeVar("_Result")


class OnUpdate(Protocol):
    """Gets a job's progress and samples, from the loop's thread."""

    def __call__(self, update: JobProgress | Sample, /) -> object: ...


class Helper:
    """The helper on one machine. Every method may raise Denied, Unreachable and what its docstring names."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def examine_disks(self) -> dict[str, DiskFacts]:
        """Facts by device node. Never prompts: where a password would be needed it raises Denied."""
        facts = (codec.read(DiskFacts, one) for one in await self.ask(verbs.EXAMINE_DISKS))
        return {one.device: one for one in facts}

    async def examine_arrays(self) -> dict[str, ArrayFacts]:
        """Facts of the arrays that run, by device node. Never prompts."""
        facts = (codec.read(ArrayFacts, one) for one in await self.ask(verbs.EXAMINE_ARRAYS))
        return {one.device: one for one in facts}

    async def examine_memberships(self, ids: Sequence[str], *, wake: bool = False) -> dict[str, Membership]:
        """Of which array each disk was a member, by its superblock. Raises DiskRefused, ``Code.ASLEEP``."""
        told = await self.ask(verbs.EXAMINE_MEMBERSHIPS, list(ids), wake)
        return {disk: codec.read(Membership, found) for disk, found in told.items() if found}

    async def examine_signatures(
        self, ids: Sequence[str], *, wake: bool = False
    ) -> dict[str, tuple[DiskSignature, ...]]:
        """What the disks of these by-id names carry. Raises DiskRefused, ``Code.ASLEEP`` unless they may be woken."""
        told = await self.ask(verbs.EXAMINE_SIGNATURES, list(ids), wake)
        return {disk: tuple(DiskSignature(*one) for one in found) for disk, found in told.items()}

    async def examine_health(self, disk_id: str, *, wake: bool = False) -> Health:
        """What a disk says of itself. Raises DiskRefused, ``Code.ASLEEP`` unless it may be woken, and JobFailed."""
        told = await self.ask(verbs.EXAMINE_HEALTH, [disk_id], wake)
        return _health(codec.read(DiskHealth, told[disk_id]))

    async def create_array(
        self,
        plan: Plan,
        *,
        confirmed_name: str,
        on_update: OnUpdate,
        scratch: bool = False,
        wipe: Mapping[str, Collection[str]] | None = None,
        homehost: str = "",
    ) -> BuildResult:
        """Build ``plan``; the name typed by a person must be the plan's. Raises DiskRefused, InputError, JobFailed.

        Ends when the array runs; its resync goes on. A ``scratch`` array goes when its owner does. ``wipe`` names,
        by disk, the signatures that a person let go (``DiskSignature.name``); any other on it is a refusal.
        ``homehost`` is the computer that the array is of; "" is the one that builds it.
        """
        options = {"confirmed_name": Variant("s", confirmed_name), "scratch": Variant("b", scratch)}
        if wipe:
            options["wipe"] = Variant("a{sas}", {disk: sorted(names) for disk, names in wipe.items()})
        if homehost:
            options["homehost"] = Variant("s", homehost)
        return await self.run_job(verbs.CREATE_ARRAY, variants(dump_plan(plan)), options, on_update=on_update)

    async def builds(self) -> tuple[BuildRecord, ...]:
        """One's own builds on this machine, the latest first. Never prompts."""
        return tuple(codec.read(BuildRecord, one) for one in await self.ask(verbs.LIST_BUILDS))

    async def undo(self, build_id: str, *, on_update: OnUpdate) -> UndoResult:
        """Stop the array of a build and put back what was on its disks. Raises DiskRefused, InputError, JobFailed.

        Refused once anything was put on the array; a way back that was cut off can be taken again.
        """
        return await self.run_job(verbs.UNDO, build_id, on_update=on_update)

    async def forget_build(self, build_id: str) -> None:
        """Delete what was saved of a build's disks; it can't be taken back then. Raises InputError."""
        await self.ask(verbs.FORGET_BUILD, build_id)

    async def stop_scratch(self, uuid: str, *, on_update: OnUpdate) -> None:
        """Stop the scratch array ``uuid`` and free its disks. Raises JobFailed."""
        await self.run_job(verbs.STOP_SCRATCH, uuid, on_update=on_update)

    async def run_workload(
        self, target: str, workload: str, *, seconds: int, region_mib: int | None = None, on_update: OnUpdate
    ) -> WorkloadResult:
        """Measure ``workload`` on ``target`` (``md:UUID``, or a by-id name). Raises DiskRefused, InputError, JobFailed.

        ``region_mib`` None leaves the size of the region to the helper.
        """
        options = {"seconds": _count("seconds", seconds)}
        if region_mib is not None:
            options["region_mib"] = _count("region_mib", region_mib)
        return await self.run_job(verbs.RUN_WORKLOAD, target, workload, options, on_update=on_update)

    async def ask(self, verb: Verb[Any], *arguments: object) -> Any:
        """What ``verb`` answers, plain. Unless it prompts: Denied where a password would be needed."""
        limit_s = None if verb.prompts else _EXAMINE_SECONDS
        reply = await self._bus.call(_call(verb, *arguments), limit_seconds=limit_s)
        return reply.body[0] if reply.body else None

    async def run_job(self, verb: Verb[_Result], *arguments: object, on_update: OnUpdate) -> _Result:
        """Start the job that ``verb`` gives, and follow it to its result."""
        signals: asyncio.Queue[Signal | None] = asyncio.Queue()
        await self._bus.subscribe(owner_rule(BUS_NAME))
        try:
            with self._bus.listening(signals.put_nowait):
                started = await self._start(_call(verb, *arguments))
                try:
                    result = await _follow(started, signals, on_update)
                except asyncio.CancelledError:
                    await self._cancel(started, signals)
                    raise
        finally:
            await self._bus.unsubscribe(owner_rule(BUS_NAME))
        return codec.read(verb.value, result)

    async def _start(self, call: Call) -> Reply:
        """Start a job; no time limit, since a person may be typing a password."""
        starting = asyncio.ensure_future(self._bus.call(call, limit_seconds=None))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # The password may still be given: the job that then starts must not run with nobody watching.
            starting.add_done_callback(self._abandon)
            raise

    def _abandon(self, starting: asyncio.Future[Reply]) -> None:
        if not starting.cancelled() and starting.exception() is None:
            self._bus.send(_cancel_call(starting.result()))

    async def _cancel(self, started: Reply, signals: asyncio.Queue[Signal | None]) -> None:
        """Tell the helper to stop the job, and give it a moment to say that it did."""
        with contextlib.suppress(RaidwrightError, TimeoutError):  # it ended by itself, or is gone
            async with asyncio.timeout(_CANCEL_SECONDS):
                await self._bus.call(_cancel_call(started))
                await _follow(started, signals, lambda _update: None)


def _call(verb: Verb[Any], *arguments: object) -> Call:
    return Call(BUS_NAME, PATH, INTERFACE, verb.name, verb.signature, arguments, verb.prompts)


def _cancel_call(started: Reply) -> Call:
    return _call(verbs.CANCEL, started.body[0])


async def _follow(started: Reply, signals: asyncio.Queue[Signal | None], on_update: OnUpdate) -> dict[str, Any]:
    """Pass a job's updates on until it ends; its result, or the error that it failed with."""
    while (signal := await signals.get()) is not None:
        if signal.sender == DAEMON and signal.member == "NameOwnerChanged":
            if signal.body[:2] == [BUS_NAME, started.sender]:
                raise unreachable(BUS_NAME, "vanished")
        elif (signal.sender, signal.path, signal.interface) == (started.sender, started.body[0], JOB_INTERFACE):
            match signal.member, signal.body:
                case verbs.PROGRESS.name, [step, fraction]:
                    on_update(JobProgress(step, fraction))
                case verbs.SAMPLE.name, [sample]:
                    on_update(codec.read(Sample, sample))
                case verbs.ENDED.name, [result]:
                    return dict(result)
                case verbs.FAILED.name, [code, sentence, fields]:
                    raise read_failure(code, sentence, fields)
    raise connection_lost()


def variants(value: dict[str, object]) -> dict[str, Variant]:
    """A plan as the wire's ``a{sv}``: None is left out, numbers and texts by their type."""
    return {key: _variant(item) for key, item in value.items() if item is not None}


def _variant(value: object) -> Variant:
    match value:
        case bool():
            return Variant("b", value)
        case int():
            return Variant("x", value)
        case float():
            return Variant("d", value)
        case list():
            return Variant("av", [_variant(item) for item in value])
        case dict():
            return Variant("a{sv}", variants(value))
    return Variant("s", str(value))


def _count(name: str, value: int) -> Variant:
    if not 0 < value < 2**32:
        raise InputError("“{name}” must be a positive whole number, not {value}.", code="wire", name=name, value=value)
    return Variant("u", value)


def _health(told: DiskHealth) -> Health:
    read, write = (
        None if limit is None else limit / 10 for limit in (told.error_recovery_read_ds, told.error_recovery_write_ds)
    )
    return Health(
        failing=told.failing,
        temperature_celsius=told.temperature_celsius,
        power_on_hours=told.power_on_hours,
        bad_sectors=told.lost_sectors,
        has_error_recovery=told.has_error_recovery,
        error_recovery_read_s=read,
        error_recovery_write_s=write,
    )
