"""The privileged helper, as its client sees it: values out, jobs followed to their end.

Wire names and shapes: ``helpers/raidwright_helper``. A job's signals come to its owner alone, so no match rule
is needed for them; they are listened for before the call, because a job may speak before its path is known.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from dbus_fast.signature import Variant

from raidwright.core.errors import InputError, JobFailed, RaidwrightError
from raidwright.core.model.disk import Health
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.machine.bus import BUS_NAME, Bus, Call, Reply, Signal, owner_rule
from raidwright.machine.bus_errors import HELPER_NAME, connection_lost, job_error, unreachable

from .facts import ArrayFacts, DiskFacts, Membership
from .job_values import (
    BuildRecord,
    BuildResult,
    BuildState,
    DiskSignature,
    JobProgress,
    Sample,
    UndoResult,
    WorkloadResult,
)

_PATH = "/org/raidwright/Helper1"
_JOB = f"{HELPER_NAME}.Job"
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
        return {entry["device"]: _disk_facts(entry) for entry in await self.ask("ExamineDisks")}

    async def examine_arrays(self) -> dict[str, ArrayFacts]:
        """Facts of the arrays that run, by device node. Never prompts."""
        return {entry["device"]: _array_facts(entry) for entry in await self.ask("ExamineArrays")}

    async def examine_memberships(self, ids: Sequence[str], *, wake: bool = False) -> dict[str, Membership]:
        """Of which array each disk was a member, by its superblock. Raises DiskRefused, ``disk-asleep``."""
        told = await self.ask("ExamineMemberships", "asb", (list(ids), wake))
        return {disk: _membership(found) for disk, found in told.items() if found}

    async def examine_signatures(
        self, ids: Sequence[str], *, wake: bool = False
    ) -> dict[str, tuple[DiskSignature, ...]]:
        """What the disks of these by-id names carry. Raises DiskRefused, ``disk-asleep`` unless they may be woken."""
        call = Call(HELPER_NAME, _PATH, HELPER_NAME, "ExamineSignatures", "asb", (list(ids), wake))
        reply = await self._bus.call(call, limit_seconds=_EXAMINE_SECONDS)
        return {disk: tuple(DiskSignature(*one) for one in found) for disk, found in reply.body[0].items()}

    async def examine_health(self, disk_id: str, *, wake: bool = False) -> Health:
        """What a disk says of itself. Raises DiskRefused, ``disk-asleep`` unless it may be woken, and JobFailed."""
        call = Call(HELPER_NAME, _PATH, HELPER_NAME, "ExamineHealth", "asb", ([disk_id], wake))
        reply = await self._bus.call(call, limit_seconds=_EXAMINE_SECONDS)
        return _health(reply.body[0][disk_id])

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
        body = (variants(dump_plan(plan)), options)
        return await self.run_job("CreateArray", "a{sv}a{sv}", body, on_update, _build_result)

    async def builds(self) -> tuple[BuildRecord, ...]:
        """One's own builds on this machine, the latest first. Never prompts."""
        return tuple(_build_record(entry) for entry in await self.ask("ListBuilds"))

    async def undo(self, build_id: str, *, on_update: OnUpdate) -> UndoResult:
        """Stop the array of a build and put back what was on its disks. Raises DiskRefused, InputError, JobFailed.

        Refused once anything was put on the array; a way back that was cut off can be taken again.
        """
        return await self.run_job("Undo", "s", (build_id,), on_update, _undo_result)

    async def forget_build(self, build_id: str) -> None:
        """Delete what was saved of a build's disks; it can't be taken back then. Raises InputError."""
        call = Call(HELPER_NAME, _PATH, HELPER_NAME, "ForgetBuild", "s", (build_id,), True)
        await self._bus.call(call, limit_seconds=None)

    async def stop_scratch(self, uuid: str, *, on_update: OnUpdate) -> None:
        """Stop the scratch array ``uuid`` and free its disks. Raises JobFailed."""
        await self.run_job("StopScratch", "s", (uuid,), on_update, lambda _result: None)

    async def run_workload(
        self, target: str, workload: str, *, seconds: int, region_mib: int | None = None, on_update: OnUpdate
    ) -> WorkloadResult:
        """Measure ``workload`` on ``target`` (``md:UUID``, or a by-id name). Raises DiskRefused, InputError, JobFailed.

        ``region_mib`` None leaves the size of the region to the helper.
        """
        options = {"seconds": _count("seconds", seconds)}
        if region_mib is not None:
            options["region_mib"] = _count("region_mib", region_mib)
        return await self.run_job("RunWorkload", "ssa{sv}", (target, workload, options), on_update, _workload_result)

    async def ask(
        self, member: str, signature: str = "", body: tuple[object, ...] = (), *, prompts: bool = False
    ) -> Any:
        """What the method ``member`` answers; unless it ``prompts``, Denied where a password would be needed."""
        call = Call(HELPER_NAME, _PATH, HELPER_NAME, member, signature, body, prompts)
        reply = await self._bus.call(call, limit_seconds=None if prompts else _EXAMINE_SECONDS)
        return reply.body[0]

    async def run_job(
        self,
        member: str,
        signature: str,
        body: tuple[object, ...],
        on_update: OnUpdate,
        read: Callable[[dict[str, Any]], _Result],
    ) -> _Result:
        """Start the job that the method ``member`` gives, and follow it; what ``read`` makes of its result."""
        signals: asyncio.Queue[Signal | None] = asyncio.Queue()
        await self._bus.subscribe(owner_rule(HELPER_NAME))
        try:
            with self._bus.listening(signals.put_nowait):
                started = await self._start(Call(HELPER_NAME, _PATH, HELPER_NAME, member, signature, body, True))
                try:
                    result = await _follow(started, signals, on_update)
                except asyncio.CancelledError:
                    await self._cancel(started, signals)
                    raise
        finally:
            await self._bus.unsubscribe(owner_rule(HELPER_NAME))
        return read(result)

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


def _cancel_call(started: Reply) -> Call:
    return Call(HELPER_NAME, _PATH, HELPER_NAME, "Cancel", "o", (started.body[0],))


async def _follow(started: Reply, signals: asyncio.Queue[Signal | None], on_update: OnUpdate) -> dict[str, Any]:
    """Pass a job's updates on until it ends; its result, or the error that it failed with."""
    while (signal := await signals.get()) is not None:
        if signal.sender == BUS_NAME and signal.member == "NameOwnerChanged":
            if signal.body[:2] == [HELPER_NAME, started.sender]:
                raise unreachable(HELPER_NAME, "vanished")
        elif (signal.sender, signal.path, signal.interface) == (started.sender, started.body[0], _JOB):
            match signal.member, signal.body:
                case "Progress", [step, fraction]:
                    on_update(JobProgress(step, fraction))
                case "Sample", [sample]:
                    on_update(_sample(sample))
                case "Ended", [result]:
                    return dict(result)
                case "Failed", [code, sentence, fields]:
                    raise job_error(code, sentence, fields)
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
        raise InputError(f"“{name}” must be a positive whole number, not {value}.", code="wire", name=name)
    return Variant("u", value)


def _disk_facts(entry: dict[str, Any]) -> DiskFacts:
    return DiskFacts(
        logical_sector_bytes=entry.get("logical_sector_bytes"),
        physical_sector_bytes=entry.get("physical_sector_bytes"),
        link=entry.get("link", ""),
        holders=tuple(entry.get("holders", ())),
        read_only=entry.get("read_only", False),
    )


def _array_facts(entry: dict[str, Any]) -> ArrayFacts:
    known = {name: entry[name] for name in ArrayFacts.__slots__ if name in entry}
    offsets = tuple(sorted(entry.get("data_offset_sectors", {}).items()))
    return ArrayFacts(**(known | {"data_offset_sectors": offsets, "vanished": tuple(entry.get("vanished", ()))}))


def _membership(found: dict[str, Any]) -> Membership:
    return Membership(found["uuid"], found.get("slot"), found.get("updated_s", 0), found.get("way"))


def _health(told: dict[str, Any]) -> Health:
    read, write = (told.get(f"error_recovery_{one}_ds") for one in ("read", "write"))
    return Health(
        failing=told.get("failing"),
        temperature_celsius=told.get("temperature_celsius"),
        power_on_hours=told.get("power_on_hours"),
        bad_sectors=told.get("lost_sectors"),
        has_error_recovery=told.get("has_error_recovery"),
        error_recovery_read_s=None if read is None else read / 10,
        error_recovery_write_s=None if write is None else write / 10,
    )


def _sample(values: dict[str, Any]) -> Sample:
    return Sample(**{name: float(values.get(name, 0.0)) for name in Sample.__slots__})


def _build_result(values: dict[str, Any]) -> BuildResult:
    known = {"build_id": ""} | values | {"log": tuple(values.get("log", ()))}
    return BuildResult(**taken(BuildResult.__slots__, known))


def _undo_result(values: dict[str, Any]) -> UndoResult:
    return UndoResult(**taken(UndoResult.__slots__, values | {"log": tuple(values.get("log", ()))}))


def _build_record(values: dict[str, Any]) -> BuildRecord:
    known = taken(BuildRecord.__slots__, {"closed_by": "", "kept_until_s": None} | values)
    lists = {name: tuple(known[name]) for name in ("disks", "steps", "removed")}
    return BuildRecord(**(known | lists | {"state": BuildState(known["state"])}))


def _workload_result(values: dict[str, Any]) -> WorkloadResult:
    return WorkloadResult(**taken(WorkloadResult.__slots__, values))


def taken(names: Iterable[str], values: dict[str, Any]) -> dict[str, Any]:
    """``values`` under ``names``; a newer helper may say more than this program knows of, but never less."""
    try:
        return {name: values[name] for name in names}
    except KeyError as error:
        sentence = f"The helper's result lacks {error}; the helper there is older than this program."
        raise JobFailed(sentence, code="result-shape") from error
