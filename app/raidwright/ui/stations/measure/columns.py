"""What stands in the station's tables."""

from __future__ import annotations

from collections.abc import Mapping

from raidwright.text import measurements as words
from raidwright.text.catalogue import number, tr
from raidwright.text.shown import Cell
from raidwright.ui.widgets.table_rows import Column


def run_columns() -> tuple[Column, ...]:
    """Of a kept Run."""
    return (
        Column(tr("When"), lambda run: Cell(words.when(run.started))),
        Column(tr("What"), lambda run: Cell(words.subject(run), hint=words.machine(run)), spare=True),
        Column(
            tr("Workload"),
            lambda run: Cell(words.short(run.result.workload), hint=words.workload(run.result.workload)),
            stretch=True,
        ),
        Column(tr("MB/s"), lambda run: Cell(words.figure(run.result.mb_s)), align="right"),
    )


def sample_columns() -> tuple[Column, ...]:
    """Of a Sample."""
    return (
        Column(tr("Time, s"), lambda one: Cell(number(one.seconds, ".2f")), align="right"),
        Column(tr("Read, MB/s"), lambda one: Cell(words.figure(one.read_mb_s)), align="right"),
        Column(tr("Write, MB/s"), lambda one: Cell(words.figure(one.write_mb_s)), align="right"),
        Column(tr("Read IOPS"), lambda one: Cell(words.figure(one.read_iops)), align="right"),
        Column(tr("Write IOPS"), lambda one: Cell(words.figure(one.write_iops)), align="right"),
        Column(tr("Latency, ms"), lambda one: Cell(words.figure(one.latency_ms)), align="right"),
        Column(tr("Load, %"), lambda one: _of_disks(one.busy, 100), align="right"),
        Column(tr("°C"), lambda one: _of_disks(one.celsius, 1), align="right"),
        Column(tr("md"), lambda one: Cell(words.doing(one.sync_action or ""))),
    )


def _of_disks(told: Mapping[str, float] | None, times: float) -> Cell:
    """From the least to the most, and by name when pointed at."""
    if not told:
        return Cell()
    each = {name: number(times * value, ".0f") for name, value in sorted(told.items())}
    low, high = (number(times * end, ".0f") for end in (min(told.values()), max(told.values())))
    shown = high if low == high else tr("{low} to {high}", low=low, high=high)
    return Cell(shown, hint="\n".join(f"{name}: {value}" for name, value in each.items()))
