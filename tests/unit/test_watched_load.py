"""Load of a device between two looks: the figures, the workload, and the job that other commands take."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.protocol.device_load import DeviceLoad
from raidwright.core.system.disk_stats import device_loads
from raidwright.core.system.own_workload import workload_named
from raidwright.machine.values import Snapshot
from raidwright.operations.load import LoadProgress, WatchedLoad, WatchLoad, watched
from raidwright.reading.fio_job import read_fio_job
from raidwright.text.load import asked_words, fio_job, load_lines, load_words

from tests.kit import sample

# Linux 6.1: 17 counters behind the name; before 4.18 they were 11.
STATS = """\
   8       0 sda 1000 5 80000 900 3000 7 48000 12000 0 4000 13000 0 0 0 0 9 8
   9     127 md127 2000 0 160000 0 8000 0 96000 0 0 5000 20000 0 0 0 0 0 0
 259       0 nvme0n1 10 0 80 1 0 0 0 0 0 1 1
   7       0 loop0 odd
"""
FIRST = DeviceLoad("/dev/md127", 2000, 160000 * 512, 8000, 96000 * 512, 5000, 20000)


def test_the_counters_are_the_kernels() -> None:
    loads = device_loads(STATS)
    assert [one.device for one in loads] == ["/dev/sda", "/dev/md127", "/dev/nvme0n1"]
    assert loads[1] == FIRST
    assert device_loads("") == ()
    assert device_loads("8 0 sda 1 2 3") == ()


def _later(reads: int, writes: int, kib: int, busy_ms: int, waited_ms: int) -> WatchedLoad:
    last = DeviceLoad(
        "/dev/md127", FIRST.reads + reads, FIRST.read_bytes + reads * kib * 1024, FIRST.writes + writes,
        FIRST.written_bytes + writes * kib * 1024, FIRST.busy_ms + busy_ms, FIRST.waited_ms + waited_ms,
    )  # fmt: skip
    return watched(FIRST, last, 10.0, 900.0)


def test_a_database_is_random_and_mostly_writes() -> None:
    """As the author's Zabbix: two of ten requests read."""
    load = _later(1000, 4000, 15, 5000, 20000)
    assert (load.iops, load.read_share, load.busy_share, load.depth) == (500.0, 0.2, 0.5, 4.0)
    assert (str(load.workload), str(load.reading)) == ("own_randrw_20_16k_q4", "own_randread_16k_q4")
    assert load.workload is not None
    assert asked_words(load.workload) == "randrw,bs=16k,depth=4,reads=20%"
    assert dict(load_lines(load))["Requests a second"] == "500 on average, 900 at most"
    assert "Own: randrw, 20% reads, 16.0 KiB, depth 4" in load_words(load)
    assert [str(job.workload) for job in read_fio_job(fio_job(load))] == ["own_randrw_20_16k_q4", "own_randread_16k_q4"]


def test_large_requests_are_a_stream_and_one_job_when_all_read() -> None:
    load = _later(400, 1, 1000, 4000, 4000)
    assert str(load.workload) == "own_read_1024k_q1"
    assert [str(job.workload) for job in read_fio_job(fio_job(load))] == ["own_read_1024k_q1"]


def test_without_requests_there_is_no_workload() -> None:
    load = _later(0, 0, 0, 0, 0)
    assert (load.workload, load.reading, load.read_share, load.depth) == (None, None, 0.0, 0.0)
    assert load_words(load) == "Nothing was asked of it in this time."


@given(
    st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 100_000), st.integers(0, 10**5), st.integers(0, 10**8)
)
def test_each_load_is_a_workload_that_the_helper_takes(
    reads: int, writes: int, kib: int, busy_ms: int, waited_ms: int
) -> None:
    load = _later(reads, writes, kib, busy_ms, waited_ms)
    if load.workload is not None:
        assert workload_named(str(load.workload)) == load.workload
        assert read_fio_job(fio_job(load))


class _Helper:
    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)

    async def do(self, _verb: Any, *_arguments: Any, **_: Any) -> Any:
        return device_loads(self._texts.pop(0) if len(self._texts) > 1 else self._texts[0])


def test_a_device_is_watched_by_looks() -> None:
    array = sample.array(16 * 10**12, device="/dev/md127")
    after = STATS.replace("md127 2000", "md127 2600")
    machine: Any = SimpleNamespace(helper=_Helper(STATS, after), snapshot=Snapshot(arrays=(array,)))
    told: list[object] = []
    load = asyncio.run(WatchLoad(f"md:{array.uuid}", 0.05).perform(machine, told.append))
    assert (load.reads, load.writes) == (600, 0)
    assert load.peak_iops > 0
    assert isinstance(told[-1], LoadProgress)
    machine.helper = _Helper("")
    with pytest.raises(InputError, match="counts no requests"):
        asyncio.run(WatchLoad(f"md:{array.uuid}", 0.05).perform(machine))
