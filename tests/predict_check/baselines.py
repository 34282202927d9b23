"""One disk's baseline."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from raidwright.core.model.plan import Baseline
from raidwright.core.system.workload import Workload
from raidwright.lab.disks.disk import LabDisk

from .measuring import Bench, Times

_FIGURES = {
    "sequential_read_mb_s": Workload.SEQUENTIAL_READ,
    "sequential_write_mb_s": Workload.SEQUENTIAL_WRITE,
    "random_read_4k_iops": Workload.RANDOM_READ_4K,
    "random_read_4k_q32_iops": Workload.RANDOM_READ_4K_Q32,
    "random_write_4k_iops": Workload.RANDOM_WRITE_4K,
    "random_write_4k_q32_iops": Workload.RANDOM_WRITE_4K_Q32,
}


def baseline_of(bench: Bench, disk: LabDisk, times: Times) -> Baseline:
    """What fio finds on ``disk`` alone."""
    node = bench.device(disk.serial)
    found: dict[str, Any] = {}  # by fields of Baseline
    for name, workload in _FIGURES.items():
        mb_s = bench.mb_s(node, workload, times)
        found[name] = mb_s if name.endswith("mb_s") else mb_s * 1e6 / workload.pattern.block_bytes
    flushed_ms = _flushed_ms(bench, node, times) - 1000 / found["random_write_4k_iops"]
    kind = "hdd" if disk.is_rotational else "ssd"
    baseline = Baseline(kind=kind, rpm=disk.rotation_rpm or None, flush_ms=max(0.0, flushed_ms))
    return replace(baseline, **found)


def _flushed_ms(bench: Bench, node: str, times: Times) -> float:
    said = bench.lab.exec([
        "fio", "--name=flush", f"--filename={node}", "--rw=randwrite", "--bs=4k", "--direct=1", "--ioengine=libaio",
        "--fsync=1", "--norandommap", "--zero_buffers", "--time_based", f"--runtime={times.random_seconds}",
        f"--ramp_time={times.settle_seconds * 1000:.0f}ms", "--output-format=json",
    ]).stdout.decode()  # fmt: skip
    (job,) = json.loads(said[said.index("{") :])["jobs"]
    return 1000 / float(job["write"]["iops"])
