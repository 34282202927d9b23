"""The kinds of practice disks: the table, orders as text, and the disks' process's arguments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from math import isclose, sqrt
from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.lab.disks.disk import DiskUse, LabDisk, disk_from_json
from raidwright.lab.disks.identity import STANDARD, pages
from raidwright.lab.disks.kinds import kind_of, kinds, link_mb_s
from raidwright.lab.disks.server import DiskServer
from raidwright.lab.disks.spots import unreadable_spots
from raidwright.lab.disks.timing import Flash, Spinning
from raidwright.lab.machine import LabSpec
from raidwright.lab.shelf import disks_from_text
from raidwright.runs.memory_speed import has_memory_speed


@pytest.fixture
def server(tmp_path: Path) -> Iterator[DiskServer]:
    with closing(DiskServer(tmp_path, tmp_path / "socket", 0)) as running:
        yield running


def test_an_order_names_kinds_uses_and_links() -> None:
    disks = disks_from_text("2x8TB:hdd7200+1x8TB:smr:gpt+2x4TB:hdd5400@usb3-b+2TB:memory:ext4")
    assert [disk.model for disk in disks[:3]] == ["ST8000NM000A", "ST8000NM000A", "ST8000DM004"]
    assert disks[2].use is DiskUse.GPT
    assert [(disk.link, disk.link_mb_s) for disk in disks[3:5]] == [("usb3-b", link_mb_s("usb3"))] * 2
    assert (disks[5].timing, disks[5].use) == (None, DiskUse.EXT4)
    assert len({disk.serial for disk in disks}) == len(disks)


@pytest.mark.parametrize(
    "text", ["8TB:hdd9000", "8TB:smr:smr", "8TB:gpt:ext4", "2x8TB:memory@usb3", "2x8TB:smr@usb9", "8TB:@"]
)
def test_what_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        disks_from_text(text)


def test_without_a_kind_a_disk_has_the_timing_of_the_usual_one() -> None:
    large, small, fast = disks_from_text("8TB+500GB:ext4+8TB:memory")
    assert (large.timing, small.timing) == (kind_of("hdd7200").timing, kind_of("ssd").timing)
    assert fast.timing is None
    assert disks_from_text("8TB", at_memory_speed=True)[0].timing is None


def test_a_disk_at_memory_speed_is_known_by_its_model() -> None:
    for size in ("500GB", "1TB", "2TB", "4TB", "8TB", "20TB"):
        timed, fast = (disks_from_text(f"{size}{kind}")[0] for kind in ("", ":memory"))
        assert not has_memory_speed([f"{timed.vendor} {timed.model}"])
        assert has_memory_speed([f"{timed.vendor} {timed.model}", f"{fast.vendor} {fast.model}"])


@pytest.mark.parametrize("name", list(kinds()))
def test_each_kind_says_what_it_is_and_is_understood(name: str, server: DiskServer) -> None:
    (disk,) = disks_from_text(f"2TB:{name}")
    kind = kind_of(name)
    assert kind.source
    standard = pages(disk)[STANDARD].decode("latin-1")
    assert (standard[8:16].strip(), standard[16:32].strip()) == (kind.vendor, kind.model)
    spins = isinstance(kind.timing, Spinning)
    assert pages(disk)[0xB1][4:6] == (kind.timing.rpm if isinstance(kind.timing, Spinning) else 1).to_bytes(2)
    assert disk.is_rotational is spins
    assert disk_from_json(asdict(disk)) == disk
    server.add(disk)


def test_seeks_go_through_the_sheets_three_points() -> None:
    for kind in kinds().values():
        if isinstance(sheet := kind.timing, Spinning):
            third = sheet.settle_ms + sheet.seek_root_ms * sqrt(1 / 3) + sheet.seek_linear_ms / 3
            assert isclose(third, sheet.average_seek_ms)
            assert isclose(sheet.settle_ms + sheet.seek_root_ms + sheet.seek_linear_ms, sheet.full_seek_ms)


def test_flashs_latencies_add_up_to_its_sheet() -> None:
    for kind in kinds().values():
        if isinstance(sheet := kind.timing, Flash):
            told = sheet.figures(10**12)
            pipe_us = max(told["read_command_us"], 4096 / sheet.read_mb_s)
            assert isclose(told["read_us"] + pipe_us, 1e6 / sheet.random_read_iops)


def test_constants_can_be_drawn(server: DiskServer) -> None:
    sheet = kind_of("hdd7200").timing
    assert isinstance(sheet, Spinning)
    server.add(LabDisk("WDC", "DRAWN", "D1", 10**12, timing=replace(sheet, rpm=6000, outside_mb_s=111.0)))
    assert server.plugged_in() == ("D1",)


def test_a_sick_disks_spots_are_its_own_and_within_it() -> None:
    one, other = disks_from_text("2x2TB:sick")
    assert unreadable_spots(one) == unreadable_spots(one) != unreadable_spots(other)
    assert all(0 < first < end < one.size_bytes for first, end in unreadable_spots(one))
    assert min(unreadable_spots(one))[0] < 10**9
    assert not unreadable_spots(disks_from_text("2TB:hdd7200")[0])


def test_a_cut_disk_is_gone_until_it_is_plugged_in(server: DiskServer) -> None:
    (disk,) = disks_from_text("2TB:ssd")
    server.add(disk)
    server.spoil(disk.serial, 0, 4096)
    server.cut(disk.serial)
    assert server.pulled() == (disk.serial,)
    with pytest.raises(InputError):
        server.cut(disk.serial)
    server.plug(disk.serial)


@pytest.mark.parametrize("pace", [0.0, -1.0, 100.0, float("nan")])
def test_a_pace_has_limits(pace: float) -> None:
    with pytest.raises(InputError):
        LabSpec(pace=pace)
