"""Rate over the size of a file as a chart: written, read from the disks, and read from memory, told apart."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from raidwright.core.messages import say
from raidwright.core.system.file_acts import FileAct
from raidwright.operations.file_sizes import ACTS, FileSizesFound, SizePoint
from raidwright.operations.file_systems import Setup
from raidwright.text.catalogue import tr, translated
from raidwright.text.run.measurements import figure, file_system

from .chart import Line, LineChart, LinePoint, Look

NAMES = {
    FileAct.WRITE: say("written and flushed"),
    FileAct.READ: say("read from the disks"),
    FileAct.READ_CACHED: say("read from memory"),
}


def size_chart(setup: Setup, points: Sequence[SizePoint]) -> LineChart:
    """Return the chart; the axis has a place for each size."""
    lines = tuple(
        Line(
            translated(NAMES[act]),
            tuple(_point(place, one.rates(act)) for place, one in enumerate(points) if one.is_measured),
            colour,
            Look.DEGRADED if act is FileAct.READ_CACHED else Look.NOW,
        )
        for colour, act in enumerate(ACTS)
    )
    return LineChart(
        tr("Files on {kind}", kind=file_system(setup.kind, aligned=setup.aligned)),
        tr("MB/s"),
        tr("size of the file, MiB"),
        tuple((float(place), str(one.value)) for place, one in enumerate(points)),
        lines,
    )


def _point(place: int, rates: Sequence[float]) -> LinePoint:
    return LinePoint(float(place), fmean(rates), min(rates), max(rates))


def size_words(found: FileSizesFound) -> str:
    """Return what the disks do with large files, and from which size on."""
    measured = [one for one in found.points if one.is_measured]
    if not measured:
        return tr("Nothing was measured.")
    last = measured[-1]
    rates = {act: fmean(last.rates(act)) for act in ACTS}
    return tr(
        "Files of {size} MiB: {written} MB/s written and flushed, {read} read from the disks, {cached} from memory.",
        size=last.value,
        written=figure(rates[FileAct.WRITE]),
        read=figure(rates[FileAct.READ]),
        cached=figure(rates[FileAct.READ_CACHED]),
    )
