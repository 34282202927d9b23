"""A run: one workload on one target, and all that is needed to compare it honestly later."""

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
from raidwright.machine.values import Array, Snapshot


class ArrayState(StrEnum):
    """What an array was in while it was measured."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    REBUILDING = "rebuilding"


class Source(StrEnum):
    """Who measured."""

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
    """One workload on one target, as it begins.

    ``target`` is as the helper takes it (``md:UUID`` or a by-id name), ``started`` is in UTC. ``state`` is None where
    the target is no array, or nobody knows; ``repeat`` counts from 1. ``is_practice`` is None where nobody knows.
    ``context`` holds plain values: ``array`` (or None) and ``disks``, as they were seen then, ``plan`` (what the array
    is, as a plan; None where no plan can say it), and ``surroundings`` (what the helper told of the system meanwhile).
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
    """Means over a whole run, as in ``WorkloadResult``; latencies are None where who measured doesn't say them.

    ``mb_s`` is 0 where only operations are counted (files that are made, seeks).
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
    """One that has ended with its ``result``. ``fio_json``: what fio itself printed, "" where it isn't there."""

    result: RunResult
    samples: tuple[Sample, ...] = ()
    ended: datetime | None = None
    note: str = ""
    fio_json: str = ""


def finished_run(begun: BegunRun, result: WorkloadResult, samples: Sequence[Sample] = ()) -> Run:
    """What ``begun`` is now that it has ended."""
    told = {one.name: getattr(begun, one.name) for one in fields(BegunRun)}
    told["context"] = {**begun.context, "surroundings": result.surroundings}
    figures = RunResult(**{one.name: getattr(result, one.name) for one in fields(RunResult)})
    return Run(**told, result=figures, samples=tuple(samples), ended=datetime.now(UTC))


def new_run_id(started: datetime, workload: str) -> str:
    """A name for a run that sorts by time and that no other bears."""
    return f"{started.astimezone(UTC):%Y%m%dT%H%M%SZ}-{workload}-{secrets.token_hex(3)}"


def new_series(kind: str, name: str, parameters: Mapping[str, Any] | None = None) -> Series:
    """A series that no run belongs to yet; it is kept with its first."""
    return Series(f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{kind}-{secrets.token_hex(3)}", kind, name, parameters or {})


def array_meant(snapshot: Snapshot, target: str) -> Array | None:
    """The array that ``target`` means; None where it is a disk."""
    return next((each for each in snapshot.arrays if target == f"md:{each.uuid}"), None)


def state_of(array: Array | None) -> ArrayState | None:
    """As it was seen; None for no array."""
    if array is None:
        return None
    if not array.degraded:
        return ArrayState.HEALTHY
    return ArrayState.REBUILDING if array.sync_action == "recover" else ArrayState.DEGRADED


def run_context(snapshot: Snapshot, target: str) -> dict[str, Any]:
    """The array and the disks that ``target`` means in ``snapshot``, as plain values."""
    array = array_meant(snapshot, target)
    if array is None:
        disks = [disk for disk in snapshot.disks if target in (disk.id, *disk.by_id)]
    else:
        below = tuple(_devices_below(array, snapshot))
        disks = [disk for disk in snapshot.disks if _carries(disk.device, below)]
    context = {"array": array and asdict(array), "disks": [disk_as_json(disk) for disk in disks]}
    plain: dict[str, Any] = json.loads(json.dumps(context))  # as it will be read again
    return plain


def _devices_below(array: Array, snapshot: Snapshot) -> Iterator[str]:
    """Its members, and those of the arrays among them."""
    for device in array.member_devices:
        inner = next((each for each in snapshot.arrays if each.device == device), None)
        if inner is None:
            yield device
        else:
            yield from _devices_below(inner, snapshot)


def _carries(disk: str, members: tuple[str, ...]) -> bool:
    """Whether one of ``members`` is ``disk`` or a partition of it (``/dev/sda1``, ``/dev/nvme0n1p1``)."""
    partitions = f"{disk}p" if disk[-1].isdigit() else disk
    return any(
        member == disk or (member.startswith(partitions) and member[len(partitions) :].isdigit()) for member in members
    )
