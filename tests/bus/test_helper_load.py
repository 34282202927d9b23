"""The helper's counters of block devices: the kernel's file, without opening any device."""

from __future__ import annotations

from pathlib import Path

from raidwright_helper.host.device_load import examine_load
from raidwright_helper.host.host import Host

from .helper_house import put_text


def test_the_counters_are_read_from_the_kernels_file(tmp_path: Path) -> None:
    put_text(tmp_path / "proc/diskstats", "   9 127 md127 10 0 80 1 20 0 160 2 0 30 40 0 0 0 0 0 0\n")
    [load] = examine_load(Host(tmp_path))
    assert (load.device, load.reads, load.written_bytes, load.busy_ms, load.waited_ms) == (
        "/dev/md127", 10, 160 * 512, 30, 40,
    )  # fmt: skip


def test_without_that_file_there_are_none(tmp_path: Path) -> None:
    assert examine_load(Host(tmp_path)) == ()
