"""The process that serves a practice machine's disks, through the supervisor's protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.lab.disks.server import MAX_DISKS, DiskServer, Fault
from raidwright.lab.shelf import disks_from_text

_PAIR = disks_from_text("2x8TB", at_memory_speed=True)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[DiskServer]:
    with closing(DiskServer(tmp_path, tmp_path / "socket", 0)) as running:
        yield running


def test_a_pulled_disk_can_be_plugged_in_again_and_no_other(server: DiskServer) -> None:
    one, other = _PAIR
    server.add(one)
    server.add(other)
    server.pull(one.serial)
    assert (server.plugged_in(), server.pulled()) == ((other.serial,), (one.serial,))
    with pytest.raises(InputError):
        server.pull(one.serial)
    with pytest.raises(InputError):
        server.plug(other.serial)
    with pytest.raises(InputError):
        server.add(one)
    server.plug(one.serial)
    assert server.plugged_in() == (one.serial, other.serial)


def test_faults_are_of_disks_that_are_there(server: DiskServer) -> None:
    server.add(_PAIR[0])
    for fault in Fault:
        server.fault(_PAIR[0].serial, fault)
    with pytest.raises(InputError, match="VK00002"):
        server.fault("VK00002", Fault.ERRORS)


def test_there_are_as_many_targets_as_disks_may_be(server: DiskServer) -> None:
    *disks, one_more = disks_from_text(f"{MAX_DISKS + 1}x24TB", at_memory_speed=True)
    for disk in disks:
        server.add(disk)
    with pytest.raises(InputError, match=str(MAX_DISKS)):
        server.add(one_more)
    assert list(server.plugged_in()) == [disk.serial for disk in disks]


def test_the_store_begins_empty_and_knows_its_limit(server: DiskServer, tmp_path: Path) -> None:
    server.add(_PAIR[0])
    server.limit(5_000_000)
    state = server.store()
    assert (state.folder, state.used_bytes, state.room_bytes, state.held_writes) == (str(tmp_path), 0, 5_000_000, 0)


def test_what_the_folder_holds_already_counts(server: DiskServer, tmp_path: Path) -> None:
    (tmp_path / f"{_PAIR[0].serial}.3").write_bytes(b"x" * 65536)
    server.add(_PAIR[0])
    assert server.store().used_bytes == 65536
