"""What stands in the station's tables."""

from __future__ import annotations

from raidwright.text import measurements as words
from raidwright.text.catalogue import number, tr
from raidwright.ui.widgets.table_rows import Cell, Column


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
    )
