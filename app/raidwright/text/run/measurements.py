"""Workloads and their figures in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from raidwright.analysis.performance.odd_disks import MeasuredDisk, Odd, rate_of
from raidwright.core.messages import say
from raidwright.core.model.plan import Plan
from raidwright.core.sizes import binary_size
from raidwright.core.system.baseline import Measurement
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.filesystem import ALIGNED_KINDS, Alignment, FileSystemKind
from raidwright.core.system.own_workload import pattern_named
from raidwright.core.system.workload import Pattern, Workload
from raidwright.runs.places import place_of
from raidwright.runs.run import ArrayState, Run
from raidwright.runs.run_plan import plan_of_run
from raidwright.suites import RANDOM_READ_64K, RANDOM_WRITE_64K, Suite
from raidwright.text.catalogue import number, tr, translated, with_commas
from raidwright.text.plan.names import array_name

_MIN_STREAMED_KIB = 64  # smaller blocks are counted rather than weighed

WORKLOADS = {
    Workload.SEQUENTIAL_READ: say("Sequential read, direct, 1 MiB, depth 8"),
    Workload.SEQUENTIAL_WRITE: say("Sequential write, direct, 1 MiB, depth 8"),
    Workload.BUFFERED_READ: say("Reading files, buffered, 1 MiB"),
    Workload.BUFFERED_WRITE: say("Writing files, buffered, 1 MiB"),
    Workload.RANDOM_READ_512K: say("Random read, 512 KiB"),
    Workload.RANDOM_WRITE_512K: say("Random write, 512 KiB"),
    Workload.RANDOM_READ_4K: say("Random read, 4 KiB"),
    Workload.RANDOM_WRITE_4K: say("Random write, 4 KiB"),
    Workload.RANDOM_READ_4K_Q32: say("Random read, 4 KiB, depth 32"),
    Workload.RANDOM_WRITE_4K_Q32: say("Random write, 4 KiB, depth 32"),
    Workload.RANDOM_MIXED_4K_Q32: say("Random, 70% reads, 4 KiB, depth 32"),
}

_DISK_MARKS = {  # names in KDiskMark and CrystalDiskMark; of the latter's older versions the third
    Workload.SEQUENTIAL_READ: "SEQ1M Q8T1",
    Workload.SEQUENTIAL_WRITE: "SEQ1M Q8T1",
    Workload.RANDOM_READ_512K: "512K",
    Workload.RANDOM_WRITE_512K: "512K",
    Workload.RANDOM_READ_4K: "RND4K Q1T1",
    Workload.RANDOM_WRITE_4K: "RND4K Q1T1",
    Workload.RANDOM_READ_4K_Q32: "RND4K Q32T1",
    Workload.RANDOM_WRITE_4K_Q32: "RND4K Q32T1",
}

SUITES = {
    Suite.QUICK: say("4 tests: streams, and 4 KiB 32 at once"),
    Suite.CLASSIC: say("8 tests, as CrystalDiskMark's"),
    Suite.BUFFERED: say("2 tests: one file, buffered"),
    Suite.MIXED: say("2 tests: a stream, and a mix of 4 KiB"),
    Suite.LAYOUTS: say("4 tests: one file, buffered, and 64 KiB at random"),
    Suite.FILESYSTEM: say("Files on ext4 and XFS"),
}

_OWN_OF_SUITES = {
    str(RANDOM_READ_64K): say("Random read, 64 KiB"),
    str(RANDOM_WRITE_64K): say("Random write, 64 KiB"),
}

ACTS = {
    FileAct.WRITE: say("A file written, MB/s"),
    FileAct.REWRITE: say("Read and rewritten, MB/s"),
    FileAct.READ: say("Read, MB/s"),
    FileAct.READ_CACHED: say("Read from memory, MB/s"),
    FileAct.CREATE: say("Files made a second"),
    FileAct.STAT: say("Files looked up a second"),
    FileAct.DELETE: say("Files deleted a second"),
}

_SHORT: dict[str, str] = {
    Workload.SEQUENTIAL_READ: say("sequential read"),
    Workload.SEQUENTIAL_WRITE: say("sequential write"),
    Workload.BUFFERED_READ: say("reading files"),
    Workload.BUFFERED_WRITE: say("writing files"),
    Workload.RANDOM_READ_512K: say("random read 512 KiB"),
    Workload.RANDOM_WRITE_512K: say("random write 512 KiB"),
    str(RANDOM_READ_64K): say("random read 64 KiB"),
    str(RANDOM_WRITE_64K): say("random write 64 KiB"),
    Workload.RANDOM_READ_4K: say("random read 4 KiB"),
    Workload.RANDOM_WRITE_4K: say("random write 4 KiB"),
    Workload.RANDOM_READ_4K_Q32: say("random read 4 KiB ×32"),
    Workload.RANDOM_WRITE_4K_Q32: say("random write 4 KiB ×32"),
    Workload.RANDOM_MIXED_4K_Q32: say("random mix 4 KiB ×32"),
    FileAct.WRITE: say("file write"),
    FileAct.REWRITE: say("file rewrite"),
    FileAct.READ: say("file read"),
    FileAct.READ_CACHED: say("file read from memory"),
    FileAct.CREATE: say("files made"),
    FileAct.STAT: say("files looked up"),
    FileAct.DELETE: say("files deleted"),
}

STATES = {
    ArrayState.HEALTHY: say("healthy"),
    ArrayState.DEGRADED: say("degraded"),
    ArrayState.REBUILDING: say("rebuilding"),
}


_DOING = {
    "idle": say("idle"),
    "resync": say("first sync"),
    "recover": say("rebuild"),
    "check": say("check"),
    "repair": say("repair"),
    "reshape": say("reshape"),
    "frozen": say("held"),
}


def doing(sync_action: str) -> str:
    """Return md's sync action in words; a newer kernel's by its own name."""
    return translated(_DOING.get(sync_action, sync_action))


def state(run: Run) -> str:
    """Return the array's state during the run; "" if unknown."""
    return translated(STATES[run.state]) if run.state else ""


def region(run: Run) -> str:
    """Return how much of its target an imported run covered; "" if unknown, or all of it."""
    mib = place_of(run).region_mib
    return "" if mib is None else binary_size(round(mib * 2**20))


def workload(kind: str) -> str:
    """Return a workload's name for people; a newer program's unchanged."""
    if kind in set(Workload):
        return translated(WORKLOADS[Workload(kind)])
    if kind in set(FileAct):
        return translated(ACTS[FileAct(kind)])
    if kind in _OWN_OF_SUITES:
        return translated(_OWN_OF_SUITES[kind])
    own = pattern_named(kind)
    return kind if own is None else _own(own)


def _own(pattern: Pattern) -> str:
    mixed = "" if pattern.read_percent is None else tr("{share:.0%} reads", share=pattern.read_percent / 100)
    parts = (
        tr("Own: {direction}", direction=pattern.direction),
        mixed,
        tr("{size_bytes:binary}", size_bytes=pattern.block_bytes),
        tr("depth {depth}", depth=pattern.depth) if not pattern.buffered else tr("through the page cache"),
        tr("flushed each time") if pattern.flushed else "",
        tr("{count} jobs at once", count=pattern.jobs) if pattern.jobs > 1 else "",
    )
    return with_commas(*parts)


def file_system(kind: FileSystemKind, *, aligned: bool) -> str:
    """Return “XFS, aligned”."""
    if kind not in ALIGNED_KINDS:
        return str(kind)
    name = {FileSystemKind.EXT4: "ext4", FileSystemKind.XFS: "XFS"}.get(kind, str(kind))
    return tr("{name}, aligned", name=name) if aligned else tr("{name}, not aligned", name=name)


def alignment(found: Alignment) -> str:
    """Return the stripe that a file system reports."""
    if not found.unit_kib:
        return tr("it says that it knows of no stripe")
    said = tr(
        "it says that its stripe is {width_kib} KiB, in pieces of {unit_kib} KiB",
        width_kib=found.width_kib,
        unit_kib=found.unit_kib,
    )
    return tr("{said}, its log's {log_kib} KiB", said=said, log_kib=found.log_unit_kib) if found.log_unit_kib else said


def disk_mark(kind: Workload) -> str:
    """Return “KDiskMark: RND4K Q32T1”; "" for a workload that it doesn't have."""
    return tr("KDiskMark: {name}", name=_DISK_MARKS[kind]) if kind in _DISK_MARKS else ""


def suite(kind: str) -> str:
    """Return a suite's name for people; a newer program's unchanged."""
    return translated(SUITES[Suite(kind)]) if kind in set(Suite) else kind


def subject(run: Run) -> str:
    """Name what a run measured: the array, or the disk's model; of a shoot-out or a sweep, the layout."""
    array = run.context.get("array")
    if run.series is not None and run.series.kind in TRIALS and (plan := plan_of_run(run)) is not None:
        return _layout(plan)
    if isinstance(array, dict) and array.get("name"):
        return str(array["name"])
    disks = run.context.get("disks")
    if isinstance(disks, list) and disks and isinstance(disks[0], dict):
        return str(disks[0].get("model") or run.target)
    imported = run.context.get("import")
    return run.target or (str(imported.get("file", "")) if isinstance(imported, dict) else "")


def _layout(plan: Plan) -> str:
    """Return “RAID 5, left-asymmetric · 3 disks · 256 KiB”, “one disk alone”."""
    if len(plan.array.members) == 1 and not plan.top.is_nested:
        return tr("one disk alone")
    return array_name(plan.top)


TRIALS = frozenset({"shootout", "sweep"})  # kinds of series that build arrays of their own
_SERIES = {
    "shootout": say("Shoot-out"),
    "suite": say("Suite"),
    "sweep": say("Sweep"),
    "scaling": say("Scaling"),
    "import": say("Imported"),
}


def group_key(run: Run) -> tuple[object, ...]:
    """Return the key shared by runs of one series that measured the same thing in the same state."""
    return (run.series.id if run.series else "", run.target, subject(run), run.state)


def group_title(run: Run) -> str:
    """Return “Suite · today 08:53 · tank · degraded”: the title of runs with that ``group_key``."""
    return " · ".join(filter(None, (series_title(run), part_title(run))))


def series_title(run: Run) -> str:
    """Return “Shoot-out · today 08:53”, from the first run of a series; "" without one."""
    if run.series is None:
        return ""
    return f"{translated(_SERIES.get(run.series.kind, run.series.kind))} · {when(run.started)}"


def part_title(run: Run) -> str:
    """Return “raid6 ×4, 512 KiB · degraded”: what was measured, in which state."""
    return " · ".join(filter(None, (subject(run), state(run))))


def speed(run: Run) -> str:
    """Return “798 MB/s”; “415 IOPS” for small blocks, or if only operations are counted."""
    return speed_words(run.workload, run.result.mb_s, run.result.iops)


def speed_words(kind: str, mb_s: float, iops: float) -> str:
    """Return ``speed`` of a workload with these figures."""
    pattern = pattern_named(kind)
    if mb_s and (pattern is None or not is_counted(pattern.block_bytes)):
        return tr("{figure} MB/s", figure=figure(mb_s))
    return tr("{figure} IOPS", figure=figure(iops))


def is_counted(block_bytes: int) -> bool:
    """Return whether accesses of this size are counted, in IOPS, rather than weighed in MB/s."""
    return block_bytes < _MIN_STREAMED_KIB * 1024


def machine(run: Run) -> str:
    """Return the machine of the run."""
    return tr("Practice machine") if run.is_practice else run.machine


def when(moment: datetime) -> str:
    """Return “today 14:20”, or the date."""
    local, now = moment.astimezone(), datetime.now().astimezone()
    if local.date() == now.date():
        return tr("today {time}", time=f"{local:%H:%M}")
    return f"{local:%Y-%m-%d %H:%M}"


def odd_words(odd: Odd) -> str:
    """Return the sentence on an outlier disk, and its deviating figure."""
    return tr(
        "{device} is not like the others: {what}: {value}, which is {share:.0%} of what they do.",
        device=odd.name,
        what=odd.measurement.replace("_", " "),
        value=number(odd.value, ",.0f"),
        share=odd.share,
    )


def held_back_words(disks: Sequence[MeasuredDisk]) -> list[str]:
    """Return the bottlenecks shared by disks that were measured at once, a sentence each."""
    links = {one.known.link: one.known.link_read_mb_s for one in disks if one.known.link_read_mb_s}
    said = [
        tr(
            "All at once, the disks on {link} read {at_once:.0f} MB/s, one by one {alone:.0f}: they share it.",
            link=link,
            at_once=at_once,
            alone=_alone([one for one in disks if one.known.link == link], Measurement.READ_OUTSIDE),
        )
        for link, at_once in links.items()
    ]
    if at_once := next((one.known.computer_read_mb_s for one in disks), None):
        alone = _alone(disks, Measurement.READ_OUTSIDE)
        said.append(
            tr(
                "All at once, the disks read {at_once:.0f} MB/s, one by one {alone:.0f}: the computer passes no more.",
                at_once=at_once,
                alone=alone,
            )
        )
    if at_once := next((one.known.computer_read_4k_iops for one in disks), None):
        said.append(
            tr(
                "All at once, the disks answer {at_once} small reads a second, one by one {alone}: the computer gets "
                "through no more.",
                at_once=number(at_once, ",.0f"),
                alone=number(_alone(disks, Measurement.READ_4K_DEEP), ",.0f"),
            )
        )
    return said


def _alone(disks: Sequence[MeasuredDisk], measurement: Measurement) -> float:
    return sum(rate_of(measurement, one.figures) or 0.0 for one in disks)


def figure(value: float | None) -> str:
    """Return three significant digits: 0.94, 9.81, 98.2, 804, 12,400; a dash if unknown."""
    if value is None:
        return "–"
    return number(value, ".2f" if value < 9.995 else ".1f" if value < 99.95 else ",.0f")


def short(kind: str) -> str:
    """Return a workload's name in brief; a newer or another program's unchanged."""
    return translated(_SHORT.get(kind) or kind.replace("_", " "))
