"""Columns and groups of the station's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from raidwright.runs.run import Run
from raidwright.text.catalogue import number, tr
from raidwright.text.run import measurements as words
from raidwright.text.shown import Cell
from raidwright.ui.widgets.table_rows import Column


class Heading(NamedTuple):
    """The heading of a series, “Shoot-out · today 08:53”, or of one of its parts, “raid6 ×4, 512 KiB · degraded”."""

    title: str


def grouped(runs: Sequence[Run]) -> tuple[Run | Heading, ...]:
    """Group ``runs``, newest first, under headings: a series together, and in it each thing measured in each state.

    A series of several things has a heading of its own above theirs. Runs outside a series are grouped with those of
    the same thing and state.
    """
    series: dict[object, dict[object, list[Run]]] = {}
    for run in runs:
        key = words.group_key(run)
        series.setdefault(run.series.id if run.series else key, {}).setdefault(key, []).append(run)
    rows: list[Run | Heading] = []
    for groups in series.values():
        has_parts = len(groups) > 1
        if has_parts:
            first = min((run for group in groups.values() for run in group), key=lambda run: run.started)
            rows.append(Heading(words.series_title(first)))
        for group in groups.values():
            rows += [Heading((words.part_title if has_parts else words.group_title)(group[-1])), *group]
    return tuple(rows)


def run_columns() -> tuple[Column, ...]:
    """Return the columns of a kept Run, which is shown under a Heading."""

    def column(title: str, cell: Callable[[Run], Cell], **more: Any) -> Column:
        return Column(title, lambda row: Cell() if isinstance(row, Heading) else cell(row), **more)

    return (
        column(tr("When"), lambda run: Cell(words.when(run.started), hint=words.machine(run)), spare=True),
        column(
            tr("Workload"),
            lambda run: Cell(words.short(run.result.workload), hint=words.workload(run.result.workload)),
            stretch=True,
        ),
        column(tr("Speed"), lambda run: Cell(words.speed(run)), align="right"),
    )


def sample_columns() -> tuple[Column, ...]:
    """Return the columns of a Sample."""
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
    """Return the range over the disks, with the values by name on hover."""
    if not told:
        return Cell()
    each = {name: number(times * value, ".0f") for name, value in sorted(told.items())}
    low, high = (number(times * end, ".0f") for end in (min(told.values()), max(told.values())))
    shown = high if low == high else tr("{low} to {high}", low=low, high=high)
    return Cell(shown, hint="\n".join(f"{name}: {value}" for name, value in each.items()))
