"""A shoot-out in words: contestants, and figures in their units; ``verdict`` has the winner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean

from raidwright.core.messages import say
from raidwright.core.system.file_acts import FileAct
from raidwright.operations.shootout.predicted import is_of_measured_disk
from raidwright.operations.shootout.results import Figure, Findings
from raidwright.operations.shootout.shootout import Standing
from raidwright.operations.shootout.slices import Contestant
from raidwright.runs.memory_speed import MEMORY_SPEED
from raidwright.runs.remarks import BUSY
from raidwright.runs.run import ArrayState
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import ntr, number, tr, translated, with_commas
from raidwright.text.plan.names import array_name, chunk_words, long_name

from .comparisons import verdict as verdict_words
from .measurements import figure as rounded
from .measurements import file_system, short
from .measurements import is_counted as is_small
from .measurements import workload as workload_name

STATES = {
    ArrayState.HEALTHY: say("Healthy"),
    ArrayState.DEGRADED: say("With a disk lost"),
    ArrayState.REBUILDING: say("While it is rebuilt"),
}


def contestant_name(contestant: Contestant) -> str:
    """Return “RAID 5, left-asymmetric · 3 disks · 256 KiB”, “one disk alone”."""
    if (setup := contestant.setup) is not None:
        name = contestant_name(replace(contestant, setup=None))
        return tr("{name} · {setup}", name=name, setup=file_system(setup.kind, aligned=setup.aligned))
    if contestant.is_volume:
        [disk] = contestant.disks
        return tr("{disk}, as it is", disk=disk.model or disk.serial or disk.id)
    if contestant.is_alone:
        return tr("one disk alone")
    if contestant.halved:
        return tr("cross-paired mirrors · {chunk}", chunk=chunk_words(contestant.plan.array.effective_chunk_kib))
    return array_name(contestant.plan.top)


def contestant_lines(contestant: Contestant) -> tuple[str, str]:
    """Return the name in words, and what tells it from others of that name: “RAID 10, far”, “4 disks, 512 KiB”."""
    if not contestant.is_layout or contestant.halved:
        whole = contestant_name(contestant)
        return whole, ""
    plan, setup = contestant.wanted, contestant.setup
    count = sum(1 for _ in plan.disks()) - len(plan.array.spares)
    parts = [ntr("{count} disk", "{count} disks", count)]
    if plan.array.effective_chunk_kib:
        parts.append(chunk_words(plan.array.effective_chunk_kib))
    if plan.array.bitmap_chunk_kib:
        parts.append(tr("bitmap of {chunk}", chunk=chunk_words(plan.array.bitmap_chunk_kib)))
    if setup is not None:
        parts.append(file_system(setup.kind, aligned=setup.aligned))
    return long_name(plan.top), with_commas(*parts)


def is_counted(workload: SuiteWorkload) -> bool:
    """Return whether its accesses are counted, in IOPS, or its files, rather than MB/s."""
    if isinstance(workload, FileAct):
        return workload.counts_files
    return is_small(workload.pattern.block_bytes)


def unit(workload: SuiteWorkload) -> str:
    """Return the unit of its figures: “MB/s”, “IOPS”, “files a second”."""
    if not is_counted(workload):
        return tr("MB/s")
    return tr("files a second") if isinstance(workload, FileAct) else tr("IOPS")


def values(one: Figure) -> tuple[float, ...]:
    """Return the repeats' rates in their unit."""
    return tuple(result.iops if is_counted(one.workload) else result.mb_s for result in one.results)


def predicted_values(one: Figure) -> tuple[float, float, float] | None:
    """Return the prediction and the ends of its 90% range in the figure's unit; None without one."""
    said = one.predicted
    if said is None:
        return None
    scale = 1e6 / said.block_bytes if is_counted(one.workload) else 1.0
    return said.mb_s * scale, said.low_mb_s * scale, said.high_mb_s * scale


def rate(one: Figure) -> str:
    """Return the rate in its unit, with half of the repeats' range."""
    shown = rounded(fmean(values(one)))
    return shown if len(one.results) == 1 else tr("{value} ± {spread:.0%}", value=shown, spread=one.spread / 2)


def times(value: float | None) -> str:
    """Return “1.8×”."""
    return "–" if value is None else tr("{times}×", times=number(value, ".2f"))


def predicted_times(one: Figure, findings: Findings) -> str:
    """Return the prediction in multiples of one disk."""
    return times(predicted_ratio(one, findings))


def predicted_ratio(one: Figure, findings: Findings) -> float | None:
    """Return the prediction in multiples of one disk: as predicted, or as measured where the prediction is of it."""
    disk = findings.of(0, ArrayState.HEALTHY, one.workload)
    if one.predicted is None or disk is None or disk.predicted is None:
        return None
    reference = disk.mb_s if is_of_measured_disk(one.predicted) else disk.predicted.mb_s
    return one.predicted.mb_s / reference if reference else None


def cells(findings: Findings, place: int, state: ArrayState) -> tuple[str, ...]:
    """Return a contestant's row: “129  1.8× (1.9×)” per workload, () if not measured in that state."""
    found = [findings.of(place, state, workload) for workload in findings.contest.suite.workloads]
    return tuple("–" if one is None else _cell(one, findings) for one in found) if any(found) else ()


def _cell(one: Figure, findings: Findings) -> str:
    if findings.is_at_memory_speed:
        return rate(one)
    return tr(
        "{rate}  {times} ({predicted})",
        rate=rate(one),
        times=times(findings.times_alone(one)),
        predicted=predicted_times(one, findings),
    )


def legend() -> str:
    """Return the legend of a cell."""
    return tr("Each cell: the rate, × one disk, and in brackets × one disk as predicted.")


def remarks(findings: Findings) -> Iterator[tuple[str, str]]:
    """Yield the remarks on figures: which figure, and the remark."""
    for one in findings.figures:
        name = contestant_name(findings.contest.contestants[one.contestant])
        where = tr("{who}, {state}, {workload}", who=name, state=translated(STATES[one.state]).lower(),
                   workload=short(str(one.workload)))  # fmt: skip
        for remark in (remark for remark in one.remarks if remark not in (MEMORY_SPEED, BUSY)):
            yield where, translated(remark)


def all_remarks(findings: Findings) -> Iterator[str]:
    """Yield the lines below the figures: the benefit of alignment, and remarks on some figures."""
    yield from alignment_verdicts(findings)
    if findings.is_at_memory_speed:
        yield translated(MEMORY_SPEED)
    if findings.was_busy:
        yield translated(BUSY)
    yield from missed_predictions(findings)
    for where, what in remarks(findings):
        yield f"{where}: {what}"


def missed_predictions(findings: Findings) -> Iterator[str]:
    """Yield a line for each figure outside its predicted 90% range; none at memory speed, or of a busy computer."""
    for figure in findings.figures if not findings.is_at_memory_speed else ():
        if BUSY in figure.remarks or not is_missed(figure) or (said := predicted_values(figure)) is None:
            continue
        yield tr(
            "{who}, {state}, {workload}: {rate} {unit} where {low} to {high} were predicted",
            who=contestant_name(findings.contest.contestants[figure.contestant]),
            state=translated(STATES[figure.state]).lower(),
            workload=short(str(figure.workload)),
            rate=rounded(fmean(values(figure))),
            unit=unit(figure.workload),
            low=rounded(said[1]),
            high=rounded(said[2]),
        )


def is_missed(figure: Figure) -> bool:
    """Return whether the figure lies outside its predicted 90% range."""
    said = figure.predicted
    return said is not None and not said.low_mb_s <= figure.mb_s <= said.high_mb_s


def alignment_verdicts(findings: Findings) -> Iterator[str]:
    """Yield the benefit of aligning each file system to the array's stripe, by act."""
    for place, workload, comparison in findings.aligned_against_not:
        yield tr(
            "{who}, {workload}, against not aligned: {verdict}",
            who=contestant_name(findings.contest.contestants[place]),
            workload=short(str(workload)),
            verdict=verdict_words(comparison),
        )


def how_measured(findings: Findings, slice_bytes: int) -> str:
    """Return the conditions of every figure."""
    contest = findings.contest
    return tr(
        "Measured on the first {slice_bytes:binary} of each disk, {seconds} s each, the deciding workloads {repeats}×, "
        "without a first resync, which changes no figure. Small accesses stay within the slice, where the heads "
        "move little: expect fewer IOPS on a whole spinning disk.",
        slice_bytes=slice_bytes,
        seconds=contest.seconds,
        repeats=contest.repeats,
    )


def standing_words(standing: Standing) -> str:
    """Return one line of progress; without a leader, since only all contestants together decide."""
    findings = standing.so_far
    who = contestant_name(findings.contest.contestants[standing.contestant])
    doing = tr("building and cleaning up")
    if (now := standing.measurement) is not None:
        state = translated(STATES[now.state]).lower()
        doing = tr("{state}: {workload}, repeat {count}.", state=state, workload=workload_name(str(now.workload)),
                   count=now.repeat + 1)  # fmt: skip
    left = tr("{minutes:.0f} min left", minutes=standing.seconds_left / 60)
    return tr("{fraction:.0%}  {who}: {doing}  {left}", fraction=standing.fraction, who=who, doing=doing, left=left)
