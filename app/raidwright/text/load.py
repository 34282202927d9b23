"""A watched load in words, as a fio job, and as the words that ``assess`` takes."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.system.own_workload import OwnWorkload
from raidwright.operations.load import WatchedLoad

from .catalogue import number, tr
from .run.measurements import figure
from .run.measurements import workload as workload_name


def load_lines(load: WatchedLoad) -> Iterator[tuple[str, str]]:
    """Yield each figure with its name."""
    yield tr("Requests a second"), tr("{mean} on average, {peak} at most", mean=figure(load.iops),
                                      peak=figure(load.peak_iops))  # fmt: skip
    yield tr("MB/s"), figure(load.mb_s)
    yield tr("Of the requests, reads"), number(load.read_share, ".0%") if load.count else "–"
    yield tr("Size of a request, KiB"), figure(load.block_kib) if load.count else "–"
    yield tr("In flight while busy"), figure(load.depth) if load.depth else tr("the kernel doesn't say")
    yield tr("Busy"), number(load.busy_share, ".0%")


def load_words(load: WatchedLoad) -> str:
    """Return what it amounts to."""
    workload = load.workload
    if workload is None:
        return tr("Nothing was asked of it in this time.")
    return tr(
        "As a workload: {workload}. The kernel doesn't say where requests go: small ones are taken as random, large "
        "ones as a stream.",
        workload=workload_name(str(workload)),
    )


def asked_words(workload: OwnWorkload) -> str:
    """Return the workload as ``raidwright assess --workload`` takes it."""
    one = workload.pattern
    reads = "" if one.read_percent is None else f",reads={one.read_percent}%"
    return f"{one.direction},bs={one.block_kib}k,depth={one.depth}{reads}"


def fio_job(load: WatchedLoad) -> str:
    """Return a fio job file of the load, and of its reads alone; it names no file or device."""
    jobs = {"load": load.workload, "reads": load.reading}
    wanted = {name: one for name, one in jobs.items() if one is not None}
    if len(set(map(str, wanted.values()))) == 1:
        wanted = dict([next(iter(wanted.items()))])
    return "\n".join(_section(name, one) for name, one in wanted.items())


def _section(name: str, workload: OwnWorkload) -> str:
    one = workload.pattern
    mixed = f"rwmixread={one.read_percent}\n" if one.read_percent is not None else ""
    return f"[{name}]\nstonewall\nrw={one.direction}\n{mixed}bs={one.block_kib}k\niodepth={one.depth}\ndirect=1\n"
