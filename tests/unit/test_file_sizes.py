"""Rate over the size of a file: sizes by turns, told apart by where the data came from; the chart, the report."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from raidwright.core.protocol.results import ActFigures, FileSystemMeasured
from raidwright.core.system.file_acts import FileAct, act_argv
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.export.html_report import as_html
from raidwright.machine.values import Snapshot
from raidwright.operations.file_sizes import FileSizes, FileSizesFound, FileSizesProgress, fitting
from raidwright.operations.file_systems import Setup
from raidwright.text.curves.chart import Look
from raidwright.text.curves.file_sizes import size_chart, size_words
from raidwright.text.reports.of_file_sizes import report_of_sizes

XFS = Setup(FileSystemKind.XFS, aligned=True)


class _Helper:
    def __init__(self) -> None:
        self.sizes: list[int] = []

    async def do(self, _verb: Any, *arguments: Any, **_: Any) -> FileSystemMeasured:
        size_mib = arguments[2]["size_mib"]
        self.sizes.append(size_mib)
        rates = {FileAct.WRITE: 50.0 + size_mib, FileAct.READ: 100.0 + size_mib, FileAct.READ_CACHED: 3000.0}
        figures = {str(act): ActFigures(1.0, rates.get(act, 10.0), 10.0, 1.0, 2.0) for act in FileAct}
        return FileSystemMeasured(FileSystemKind.XFS, figures, {str(act): "fio" for act in FileAct}, {})


def _found(*sizes: int, repeats: int = 1) -> tuple[FileSizesFound, _Helper, list[object]]:
    helper, told = _Helper(), list[object]()
    machine: Any = SimpleNamespace(helper=helper, snapshot=Snapshot())
    order = FileSizes("md:a", XFS, sizes, "here", repeats, keep=False)
    return asyncio.run(order.perform(machine, told.append)), helper, told


def test_the_sizes_are_by_turns_and_each_has_its_rates() -> None:
    found, helper, told = _found(64, 4, repeats=2)
    assert helper.sizes == [4, 64, 4, 64]
    assert [one.rates(FileAct.WRITE) for one in found.points] == [(54.0, 54.0), (114.0, 114.0)]
    last = told[-1]
    assert isinstance(last, FileSizesProgress)
    assert (last.value, last.fraction) == (64, 0.75)


def test_what_comes_from_memory_is_a_line_of_its_own() -> None:
    found, _helper, _told = _found(4, 64)
    chart = size_chart(found.setup, found.points)
    assert [(line.name, line.look) for line in chart.lines] == [
        ("written and flushed", Look.NOW),
        ("read from the disks", Look.NOW),
        ("read from memory", Look.DEGRADED),
    ]
    assert [words for _, words in chart.ticks] == ["4", "64"]
    said = "Files of 64 MiB: 114 MB/s written and flushed, 164 read from the disks, 3,000 from memory."
    assert size_words(found) == said
    assert said in as_html(report_of_sizes(found, "tank"))


def test_it_is_read_into_memory_first_and_nothing_else_is() -> None:
    told = {act: "--pre_read=1" in act_argv(act, "/mnt", size_mib=4, files=100) for act in FileAct}
    assert [act for act, is_read in told.items() if is_read] == [FileAct.READ_CACHED]


def test_files_that_do_not_fit_are_left_out() -> None:
    assert fitting((1, 64, 1024), 1000) == (1, 64)
