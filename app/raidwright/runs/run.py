"""A run: one workload on one target, with all the conditions needed to compare it later."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from raidwright import __version__
from raidwright.core.protocol.measured import Sample, WorkloadResult
from raidwright.machine.disk_json import disk_as_json
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.states.volume import State
from raidwright.machine.values import Snapshot


class ArrayState(StrEnum):
    """State of an array during a measurement."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    REBUILDING = "rebuilding"


class Source(StrEnum):
    """Program that measured."""

    RAIDWRIGHT = "raidwright"
    FIO = "fio"
    BONNIE = "bonnie++"
    IOZONE = "iozone"


@dataclass(frozen=True, slots=True)
class Series:
    """Runs that belong together, of one suite, shoot-out or sweep; ``parameters`` are plain values."""

    id: str
    kind: str
    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunRun:
    """One workload on one target, at its start.

    ``target`` is as the helper takes it (``md:UUID`` or a by-id name), ``started`` is in UTC. ``state`` is None if the
    target isn't an array, or it is unknown; ``repeat`` counts from 1. ``is_practice`` is None if unknown. ``context``
    holds plain values: ``array`` (or None) and ``disks`` from the snapshot, ``plan`` (the array's plan; None if no plan
    can express it), and ``surroundings`` (the helper's report about the system during the run).
    """

    id: str
    started: datetime
    machine: str
    target: str
    workload: str
    region_mib: int | None = None
    is_practice: bool | None = None
    series: Series | None = None
    state: ArrayState | None = None
    repeat: int = 1
    source: Source = Source.RAIDWRIGHT
    context: Mapping[str, Any] = field(default_factory=dict)
    program_version: str = __version__


@dataclass(frozen=True, slots=True)
class RunResult:
    """Means over a whole run, as in ``WorkloadResult``; latencies are None if the source doesn't report them.

    ``mb_s`` is 0 if only operations are counted (file creations, seeks).
    """

    workload: str
    seconds: float
    mb_s: float
    iops: float
    latency_ms: float | None = None
    latency_p99_ms: float | None = None
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(BegunRun):
    """A finished run with its ``result``. ``fio_json``: fio's own output, "" if not available."""

    result: RunResult
    samples: tuple[Sample, ...] = ()
    ended: datetime | None = None
    note: str = ""
    fio_json: str = ""


def finished_run(begun: BegunRun, result: WorkloadResult, samples: Sequence[Sample] = ()) -> Run:
    """Return ``begun`` as a finished run."""
    told = {one.name: getattr(begun, one.name) for one in fields(BegunRun)}
    told["context"] = {**begun.context, "surroundings": result.surroundings}
    figures = RunResult(**{one.name: getattr(result, one.name) for one in fields(RunResult)})
    return Run(**told, result=figures, samples=tuple(samples), ended=datetime.now(UTC))


def new_run_id(started: datetime, workload: str) -> str:
    """Return a unique id for a run that sorts by time."""
    return f"{started.astimezone(UTC):%Y%m%dT%H%M%SZ}-{workload}-{secrets.token_hex(3)}"


def new_series(kind: str, name: str, parameters: Mapping[str, Any] | None = None) -> Series:
    """Return a series without runs; it is stored with its first run."""
    return Series(f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{kind}-{secrets.token_hex(3)}", kind, name, parameters or {})


def array_meant(snapshot: Snapshot, target: str) -> State | None:
    """Return the array that ``target`` refers to; None for a disk."""
    return next((each for each in with_volumes(snapshot.arrays) if target == f"md:{each.uuid}"), None)


def state_of(array: State | None) -> ArrayState | None:
    """Return the array's state in the snapshot; None without an array."""
    if array is None:
        return None
    if not array.degraded:
        return ArrayState.HEALTHY
    return ArrayState.REBUILDING if array.sync_action == "recover" else ArrayState.DEGRADED


def run_context(snapshot: Snapshot, target: str) -> dict[str, Any]:
    """Return the array and the disks of ``target`` in ``snapshot``, as plain values."""
    array = array_meant(snapshot, target)
    if array is None:
        disks = [disk for disk in snapshot.disks if target in (disk.id, *disk.by_id)]
    else:
        below = tuple(_devices_below(array, snapshot))
        disks = [disk for disk in snapshot.disks if _carries(disk.device, below)]
    context = {"array": array and asdict(array), "disks": [disk_as_json(disk) for disk in disks]}
    plain: dict[str, Any] = json.loads(json.dumps(context))  # with the types that reading it gives
    return plain


def _devices_below(array: State, snapshot: Snapshot) -> Iterator[str]:
    """Yield the array's member devices, with inner arrays replaced by theirs."""
    for device in array.member_devices:
        inner = next((each for each in snapshot.arrays if each.device == device), None)
        if inner is None:
            yield device
        else:
            yield from _devices_below(inner, snapshot)


def _carries(disk: str, members: tuple[str, ...]) -> bool:
    """Return True if one of ``members`` is ``disk`` or a partition of it (``/dev/sda1``, ``/dev/nvme0n1p1``)."""
    partitions = f"{disk}p" if disk[-1].isdigit() else disk
    return any(
        member == disk or (member.startswith(partitions) and member[len(partitions) :].isdigit()) for member in members
    )
