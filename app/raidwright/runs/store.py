"""The run store: one JSON file a measurement, with all that is needed to compare it honestly later.

The files lie in ``$XDG_DATA_HOME/raidwright/runs`` and are never changed once written.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from raidwright import __version__
from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.protocol.results import Sample, WorkloadResult
from raidwright.machine.disk_json import disk_as_json
from raidwright.machine.values import Snapshot

from .files import data_folder, load_json, read_time, write_whole

VERSION = 1
_MOST_SAMPLES = 100_000
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Run:
    """One workload on one target.

    ``target`` is as the helper takes it (``md:UUID`` or a by-id name), ``started`` is in UTC. ``context`` holds
    plain values: ``array`` (or None) and ``disks``, as they were seen then.
    """

    id: str
    started: datetime
    machine: str
    target: str
    region_mib: int | None
    result: WorkloadResult
    samples: tuple[Sample, ...] = ()
    context: Mapping[str, Any] = field(default_factory=dict)
    program_version: str = __version__


def new_run_id(started: datetime, workload: str) -> str:
    """A name for a run that sorts by time and that no other bears."""
    return f"{started.astimezone(UTC):%Y%m%dT%H%M%SZ}-{workload}-{secrets.token_hex(3)}"


def run_context(snapshot: Snapshot, target: str) -> dict[str, Any]:
    """The array and the disks that ``target`` means in ``snapshot``, as plain values."""
    array = next((each for each in snapshot.arrays if target == f"md:{each.uuid}"), None)
    if array is None:
        disks = [disk for disk in snapshot.disks if target in (disk.id, *disk.by_id)]
    else:
        disks = [disk for disk in snapshot.disks if _carries(disk.device, array.member_devices)]
    return {"array": array and asdict(array), "disks": [disk_as_json(disk) for disk in disks]}


def _carries(disk: str, members: tuple[str, ...]) -> bool:
    """Whether one of ``members`` is ``disk`` or a partition of it (``/dev/sda1``, ``/dev/nvme0n1p1``)."""
    partitions = f"{disk}p" if disk[-1].isdigit() else disk
    return any(
        member == disk or (member.startswith(partitions) and member[len(partitions) :].isdigit()) for member in members
    )


def runs_folder() -> Path:
    """Where runs are kept."""
    return data_folder() / "runs"


def run_path(run: Run, folder: Path | None = None) -> Path:
    """The file that ``run`` is kept in."""
    return (folder or runs_folder()) / f"{run.id}.json"


def save_run(run: Run, folder: Path | None = None) -> Path:
    """Write ``run`` whole or not at all; its file. Raises InputError when the folder can't be written to."""
    path = run_path(run, folder)
    write_whole(path, {"version": VERSION} | asdict(run) | {"started": run.started.astimezone(UTC).isoformat()})
    return path


def load_run(path: Path) -> Run:
    """The run in the file at ``path``; raises InputError that says what is wrong with it."""
    return _read(Fields(load_json(path), path.name))


def list_runs(folder: Path | None = None) -> tuple[Run, ...]:
    """Every run that is kept, the newest first; files that can't be read are logged and left alone."""
    runs = []
    for path in sorted((folder or runs_folder()).glob("*.json")):
        try:
            runs.append(load_run(path))
        except InputError as error:
            _LOG.warning("%s", error)
    return tuple(sorted(runs, key=lambda run: run.started, reverse=True))


def _read(fields: Fields) -> Run:
    version = fields.require("version", int)
    if version != VERSION:
        raise InputError(
            "{where} is of version {version}; a newer program may read it.",
            code="run-version",
            where=fields.where,
            version=version,
        )
    run = Run(
        id=fields.require("id", str),
        started=read_time(fields, "started"),
        machine=fields.require("machine", str),
        target=fields.require("target", str),
        region_mib=fields.positive("region_mib"),
        result=_read_result(Fields(fields.require("result", dict), f"{fields.where}, result")),
        samples=tuple(
            _read_sample(Fields(entry, f"{fields.where}, sample {number}"))
            for number, entry in enumerate(fields.items("samples", _MOST_SAMPLES))
        ),
        context=fields.require("context", dict),
        program_version=fields.require("program_version", str),
    )
    fields.finish()
    return run


def _read_result(fields: Fields) -> WorkloadResult:
    result = WorkloadResult(
        workload=fields.require("workload", str),
        seconds=fields.require("seconds", float),
        mb_s=fields.require("mb_s", float),
        iops=fields.require("iops", float),
        latency_ms=fields.require("latency_ms", float),
        latency_p99_ms=fields.require("latency_p99_ms", float),
        command=fields.require("command", str),
    )
    fields.finish()
    return result


def _read_sample(fields: Fields) -> Sample:
    sample = Sample(**{name: fields.require(name, float) for name in Sample.__slots__})
    fields.finish()
    return sample
