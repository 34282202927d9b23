"""Findings of a shoot-out, made of the predictions: most figures near them, a few outside, repeats with a spread."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.core.system.file_acts import FileAct
from raidwright.machine.disk_json import disk_as_json
from raidwright.machine.values import Array, ArrayDevice
from raidwright.operations.shootout.contest import Contest
from raidwright.operations.shootout.predicted import Predicted
from raidwright.operations.shootout.results import Figure, Findings
from raidwright.operations.shootout.slices import contestant_of
from raidwright.runs.memory_speed import MEMORY_SPEED
from raidwright.runs.run import ArrayState, Run, RunResult, Series
from raidwright.suites import Suite

from . import sample

_MISSED, _SHARE_OF_MISSED = 7, 0.55  # every 7th figure, and its share of the prediction
_SPREAD = (0.97, 1.0, 1.04)
_FILES_A_SECOND, _FILES_MB_S = 900.0, 140.0  # nothing is predicted of file systems


def found(contest: Contest, *, contestants: int | None = None, at_memory_speed: bool = False) -> Findings:
    """Return the figures of the first ``contestants`` (None: all) of ``contest``."""
    findings, count = Findings(contest), 0
    for place, contestant in enumerate(contest.contestants[:contestants]):
        predicted = Predicted(contestant)
        for measurement in contest.measurements(contestant):
            workload, state = measurement.workload, measurement.state
            said = predicted.of(workload, state)
            count += measurement.repeat == 0
            share = _SHARE_OF_MISSED if count % _MISSED == 0 and not contestant.is_alone else 1.0
            share *= _SPREAD[measurement.repeat % len(_SPREAD)]
            mb_s = (said.mb_s if said is not None else _FILES_MB_S * (1 + 0.3 * place)) * share
            if at_memory_speed:
                mb_s = 2000.0 * (1 + 0.1 * place) * share
            iops = mb_s * 1e6 / said.block_bytes if said is not None else _FILES_A_SECOND * (1 + place) * share
            if isinstance(workload, FileAct) and workload.counts_files:
                mb_s = 0.0
            result = RunResult(str(workload), 12.0, mb_s, iops, 9.8, 14.2, f"fio --name={workload}")
            remarks = (MEMORY_SPEED,) if at_memory_speed else ()
            findings = findings.with_result(Figure(place, state, workload, (result,), said, remarks))
    return findings


def partly(contest: Contest) -> Findings:
    """Return the figures of one disk alone, of the first layout, and of the second one whole."""
    whole = found(contest, contestants=3)
    return Findings(
        contest, tuple(one for one in whole.figures if one.contestant < 2 or one.state is ArrayState.HEALTHY)
    )


_TRIAL = datetime(2026, 11, 20, 8, 53, tzinfo=UTC)
_SLICE_BYTES = 2**30


def trial_runs(plan: Plan) -> tuple[Run, ...]:
    """Return the runs of a shoot-out in which ``plan`` was tried, each workload thrice, whole and degraded."""
    contestant = contestant_of(plan, _SLICE_BYTES)
    series = Series("shootout-1", "shootout", "quick", {"seconds": 12, "repeats": 3})
    first = _suite_runs(contestant.plan, series, "md:trial", contestant.region_mib, 1.0)
    lost = contestant.plan.on(replace(contestant.plan.array, members=(None, *contestant.plan.array.members[1:])))
    degraded = _suite_runs(lost, series, "md:trial", contestant.region_mib, 0.9)
    return (*(replace(run, id=f"{run.id}-degraded", state=ArrayState.DEGRADED) for run in degraded), *first)


def own_runs(plan: Plan, region_mib: int | None) -> tuple[Run, ...]:
    """Return a suite that was measured on the array built of ``plan``, a day later."""
    series = Series("suite-own", "suite", "quick", {"seconds": 12, "repeats": 3})
    found = _suite_runs(plan, series, f"md:{sample.ARRAY_UUID}", region_mib, 0.98)
    return tuple(replace(run, id=f"own-{run.id}", started=run.started + timedelta(days=1)) for run in found)


def region_of(plan: Plan) -> int:
    """Return the MiB that ``trial_runs`` measured."""
    return contestant_of(plan, _SLICE_BYTES).region_mib


def _suite_runs(plan: Plan, series: Series, target: str, region_mib: int | None, share: float) -> tuple[Run, ...]:
    disks = [disk_as_json(sample.disk(number)) for number in range(4)]
    context = {"array": {"name": plan.name, "level": str(plan.array.level)}, "disks": disks, "plan": dump_plan(plan)}
    return tuple(
        Run(
            id=f"{workload}-{repeat}",
            started=_TRIAL + timedelta(minutes=place, seconds=20 * repeat),
            machine="This computer",
            target=target,
            workload=str(workload),
            region_mib=region_mib,
            is_practice=False,
            series=series,
            state=ArrayState.HEALTHY,
            repeat=repeat,
            context=context,
            result=RunResult(str(workload), 12.0, rate * share * spread, rate * 256 * share * spread, 9.8, 14.2, "fio"),
        )
        for place, (workload, rate) in enumerate(zip(Suite.QUICK.workloads, (390.0, 805.0, 1.6, 3.1), strict=True))
        for repeat, spread in enumerate(_SPREAD, 1)
    )


def array_of(plan: Plan) -> Array:
    """Return the running array “tank” of ``plan``, as the kernel tells it."""
    capacity = capacity_of(plan.top)
    offsets = capacity.data_offset_sectors
    disks = [sample.disk(number) for number in range(len(plan.array.members))]
    facts = ArrayFacts(
        layout=plan.array.effective_layout or "",
        metadata=str(plan.array.metadata),
        bitmap=str(plan.array.bitmap),
        consistency="bitmap",
        component_size_kib=capacity.component_size_kib or 0,
        data_offset_sectors=tuple((disk.device[5:], offset or 0) for disk, offset in zip(disks, offsets, strict=True)),
        level=str(plan.array.level),
        slots=len(disks),
        chunk_kib=plan.array.effective_chunk_kib,
        size_bytes=capacity.array_bytes,
    )
    places = tuple(
        ArrayDevice(slot, disk.device, ("in_sync",), disk.as_member(), disk.link) for slot, disk in enumerate(disks)
    )
    return sample.array(
        capacity.array_bytes,
        level=str(plan.array.level),
        chunk_kib=plan.array.effective_chunk_kib,
        slots=len(disks),
        places=places,
        member_devices=tuple(disk.device for disk in disks),
        members=tuple(disk.as_member() for disk in disks),
        sync_action="idle",
        facts=facts,
    )


_CHANNELS_MB_S, _DISK_MB_S = 318.0, 70.0  # two buses of 160 MB/s, and a disk of 2004


def over_members(contest: Contest) -> Findings:
    """Return figures that rise with the number of members until a bus is full, with a dip at five members of raid0."""
    findings = Findings(contest, series="shootout-now")
    for place, contestant in enumerate(contest.contestants):
        predicted = Predicted(contestant)
        for measurement in contest.measurements(contestant):
            rate = _rate_of(contestant.plan) * _SPREAD[measurement.repeat % len(_SPREAD)]
            rate *= 0.7 if measurement.state is not ArrayState.HEALTHY else 1.0
            result = RunResult(str(measurement.workload), 12.0, rate, rate, 9.8, 14.2, "fio")
            said = predicted.of(measurement.workload, measurement.state)
            findings = findings.with_result(Figure(place, measurement.state, measurement.workload, (result,), said))
    return findings


def _rate_of(plan: Plan) -> float:
    count = len(plan.array.members)
    if count == 1:
        return _DISK_MB_S
    rate = min(_CHANNELS_MB_S, 0.97 * _DISK_MB_S * (count - plan.array.level.parity_disks))
    return 250.0 if (count, plan.array.level.parity_disks) == (5, 0) else rate


def kept_runs(contest: Contest, kernel: str, share: float, series: str = "shootout-before") -> tuple[Run, ...]:
    """Return the runs of that contest under another ``kernel``, each workload once, at ``share`` of the speed."""
    kept = Series(series, "shootout", str(contest.suite), {"seconds": 12, "repeats": 1})
    return tuple(
        Run(
            id=f"{series}-{place}-{workload}",
            started=_TRIAL + timedelta(minutes=place),
            machine="This computer",
            target="md:trial",
            workload=str(workload),
            region_mib=contestant.region_mib,
            is_practice=False,
            series=kept,
            state=ArrayState.HEALTHY,
            context={"plan": dump_plan(contestant.plan), "surroundings": {"kernel": kernel}},
            result=RunResult(str(workload), 12.0, rate, rate, 9.8, 14.2, "fio"),
        )
        for place, contestant in enumerate(contest.contestants)
        for workload in contest.suite.workloads
        for rate in (_rate_of(contestant.plan) * share,)
    )
