"""Each suite's figures beside fio's own output of the same run, and the curve's mean beside fio's.

A shell script replaces fio in the practice machine, runs it and keeps its output. The figures are fio's own fields
(``bw_bytes``, ``iops``, ``clat_ns``), read without any code of the program's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from raidwright.runs.run import Run
from raidwright.runs.store import Runs
from raidwright.suites import Suite

from tests.kit.shootout_bench import Bench

from ..kit.blank import blank
from ..studies_check.row import Row

ALLOWED = 0.02
_STUDY = "as fio says"
_SECONDS = 6
_REGION_MIB = 512
_KEPT = "/dev/shm/fio"  # noqa: S108  # the one folder that the helper's unit and fio's own may both write to
_TEE = f"""#!/bin/bash
set -o pipefail
mkdir -p {_KEPT}
/usr/bin/fio.real "$@" | tee "{_KEPT}/$(date +%s%N)"
"""
_MAKE = """set -e; modprobe raid456; cd /usr/bin; cat > fio.tee; chmod 755 fio.tee; mv fio fio.real; mv fio.tee fio
mdadm --create /dev/md/tank --quiet --run --assume-clean --level=5 --chunk=256 --bitmap=none --raid-devices=3 $@
udevadm settle"""
_LEAVE = f"""mdadm --quiet --stop /dev/md/tank; mdadm --quiet --zero-superblock $@
{blank("$@")}
mv /usr/bin/fio.real /usr/bin/fio; rm -r /dev/shm/fio"""


def figures(bench: Bench) -> Iterator[Row]:
    """Yield rate, IOPS, latency and curve of each measurement of every suite, on a raid5 of the bench's disks."""
    listed = bench.shell("lsblk -dnpo NAME,SERIAL").splitlines()
    serials = {disk.serial for disk in bench.disks}
    nodes = [line.split()[0] for line in listed if line.split()[1:] and line.split()[1] in serials]
    bench.lab.exec(["bash", "-c", _MAKE, "bash", f"--size={bench.slice_mib // 2}M", *nodes], _TEE.encode())
    try:
        for suite in Suite:
            yield from _of(bench, suite)
    finally:
        bench.lab.exec(["bash", "-c", _LEAVE, "bash", *nodes], check=False)


def _of(bench: Bench, suite: Suite) -> Iterator[Row]:
    bench.shell(f"rm -f {_KEPT}/*")
    before = {run.id for run in _runs(bench)}
    how = ("--seconds", str(_SECONDS), "--region-mib", str(_REGION_MIB))
    bench.tells("bench", "--target", "tank", "--suite", suite, *how)
    runs = sorted((run for run in _runs(bench) if run.id not in before), key=_begun)
    for run, own in zip(runs, _printed(bench), strict=True):
        yield from _compared(f"{suite}: {run.context['surroundings'].get('filesystem', '')} {run.workload}", run, own)


def _begun(run: Run) -> tuple[str, int]:
    return run.started.isoformat(), _ORDER.get(run.workload, 0)


_ORDER = {str(act): place for place, act in enumerate(Suite.FILESYSTEM.workloads)}  # a round's runs begin as one


def _runs(bench: Bench) -> Sequence[Run]:
    store = Runs(bench.store / "home/raidwright/runs.sqlite")
    return [store.get(run.id) for run in store.all()]


def _printed(bench: Bench) -> Iterator[Mapping[str, Any]]:
    """The last object that each fio printed, in their order."""
    for name in bench.shell(f"ls {_KEPT}").split():
        text = bench.shell(f"cat {_KEPT}/{name}")
        at = text.rfind("\n{\n") + 1 or text.find("{\n")
        if at >= 0:  # not what it says of its version
            yield json.loads(text[at : text.rindex("}") + 1])["jobs"][0]


def _compared(what: str, run: Run, own: Mapping[str, Any]) -> Iterator[Row]:
    both = [own[direction] for direction in ("read", "write") if own[direction]["total_ios"]]
    bytes_per_s, iops = (sum(one[key] for one in both) for key in ("bw_bytes", "iops"))
    yield Row(_STUDY, what, "a second", run.result.iops, iops)
    if run.result.mb_s:
        yield Row(_STUDY, what, "MB/s", run.result.mb_s, bytes_per_s / 1e6)
    mean_ns = sum(one["clat_ns"]["mean"] * one["clat_ns"]["N"] for one in both) / sum(
        one["clat_ns"]["N"] for one in both
    )
    yield Row(_STUDY, what, "ms", run.result.latency_ms or 0.0, mean_ns / 1e6)
    if run.samples:
        moved = before_s = 0.0
        for sample in run.samples:
            moved += (sample.read_mb_s + sample.write_mb_s) * (sample.seconds - before_s)
            before_s = sample.seconds
        yield Row(_STUDY, f"{what}, the curve's mean", "MB/s", moved / before_s, bytes_per_s / 1e6)
