"""The practice machine's disks under an array: files survive a lost disk, writes wait for space, zeros take none."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from raidwright.core.md.layouts import Level
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.disks.server import Fault
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.connection import Held
from raidwright.operations.watch import Watch

from .arrays_whole import FAST
from .house import House

pytestmark = pytest.mark.lab
_MIB = 2**20
_TREE_BYTES = 2**15  # what the host's file system may need to find a file's blocks, which it counts as the file's


def _until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it didn't happen in time"
        time.sleep(0.05)


@pytest.fixture
def house(lab: Lab) -> Iterator[House]:
    """A house to build on the lab's disks, which are left empty."""
    house = House(lab)
    house.sh(FAST)
    yield house
    house.leave()


def test_a_lost_disk_is_replaced_under_files_and_nothing_differs(lab: Lab, house: House) -> None:
    lost = lab.disks()[1]
    (new,) = disks_from_text("8TB", first_number=0x77, at_memory_speed=True)
    house.build(Level.RAID5, component_size_kib=48 * 1024)
    house.furnish(FileSystemKind.EXT4, 32)
    house.wait()
    house.replace(lost, new)
    house.read_back()
    house.check()
    house.leave()
    lab.pull_disk(new.serial)
    lab.plug_disk(lost)


def test_writes_wait_for_room_and_no_disk_drops_out(lab: Lab, house: House) -> None:
    house.build(Level.RAID10, component_size_kib=48 * 1024)
    house.wait()
    told = list[object]()
    watching = threading.Thread(target=_watch, args=(lab, told, held_and_gone := threading.Event()))
    watching.start()
    used_bytes = lab.store().used_bytes
    lab.limit_store(used_bytes + 16 * _MIB)
    write = f"dd if=/dev/urandom of=/dev/{house.md} bs=1M count=64 oflag=direct"
    writing = threading.Thread(target=house.sh, args=(write,))
    writing.start()
    try:
        _until(lambda: any(isinstance(news, Held) and news.writes for news in told))
        state = lab.store()
        assert state.held_writes > 0
        assert state.used_bytes <= used_bytes + 16 * _MIB
        house.sh("dd if=/dev/sda of=/dev/null bs=1M count=8 iflag=direct status=none")  # reading continues
        assert writing.is_alive()
    finally:
        lab.limit_store(0)
    writing.join()
    _until(lambda: [news for news in told if isinstance(news, Held)][-1] == Held(0, state.folder))
    held_and_gone.set()
    watching.join()
    house.check()


def _watch(lab: Lab, told: list[object], stop: threading.Event) -> None:
    """Watch ``lab`` as the window does until ``stop``."""

    async def watch() -> None:
        watching = asyncio.ensure_future(Watch().look_at(f"lab:{lab.name}", "admin", told.append))
        await asyncio.to_thread(stop.wait)
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching

    asyncio.run(watch())


def test_a_machine_whose_writes_wait_can_be_stopped() -> None:
    with start(LabSpec(disks_from_text("1x4GB", at_memory_speed=True))) as lab:
        lab.limit_store(1)
        writing = "dd if=/dev/urandom of=/dev/sda bs=1M count=8 oflag=direct & dd if=/dev/urandom of=/dev/sda bs=1M"
        lab.exec(["sh", "-c", f"({writing}) > /dev/null 2>&1 &"])
        _until(lambda: lab.store().held_writes > 0)
    assert not lab.is_alive()


def test_zeros_take_no_room_and_give_back_what_data_took(lab: Lab) -> None:
    before = lab.store().used_bytes
    lab.exec(["dd", "if=/dev/zero", "of=/dev/sdd", "bs=1M", "count=64", "oflag=direct", "status=none"])
    assert lab.store().used_bytes == pytest.approx(before, abs=_TREE_BYTES)
    lab.exec(["dd", "if=/dev/urandom", "of=/dev/sdd", "bs=1M", "count=4", "oflag=direct", "status=none"])
    assert lab.store().used_bytes == pytest.approx(before + 4 * _MIB, abs=_TREE_BYTES)
    lab.exec(["dd", "if=/dev/zero", "of=/dev/sdd", "bs=1M", "count=4", "oflag=direct", "status=none"])
    assert lab.store().used_bytes == pytest.approx(before, abs=_TREE_BYTES)


@pytest.mark.parametrize("tib", [1, 7])
def test_what_crosses_the_stores_files_reads_back(lab: Lab, tib: int) -> None:
    data = os.urandom(256 * 1024)
    place = tib * 2**40 - len(data) // 2  # one half on each side
    whole = ["bs=256k", "count=1", "status=none"]
    write = ["dd", "of=/dev/sdd", *whole, f"seek={place}", "oflag=direct,seek_bytes"]
    lab.exec([*write, "iflag=fullblock"], data)
    back = lab.exec(["dd", "if=/dev/sdd", *whole, f"skip={place}", "iflag=direct,skip_bytes"])
    assert back.stdout == data
    lab.exec([*write, "if=/dev/zero"])


def test_a_pulled_disk_comes_back_with_what_it_held(lab: Lab) -> None:
    (disk,) = disks_from_text("500GB", first_number=0x99, at_memory_speed=True)
    lab.add_disk(disk)
    node = House(lab).node(disk.serial)
    lab.exec(["dd", f"of={node}", "oflag=direct", "bs=64k", "status=none"], data := os.urandom(65536))
    lab.pull_disk(disk.serial)
    assert disk.serial in lab.pulled_disks()
    lab.plug_disk(disk.serial)
    assert lab.exec(["dd", f"if={node}", "iflag=direct", "bs=64k", "count=1", "status=none"]).stdout == data
    lab.pull_disk(disk.serial)


@pytest.mark.parametrize("fault", [Fault.ERRORS, Fault.HANGING])
def test_a_faulty_disk_is_sound_again_when_it_is_told(lab: Lab, fault: Fault) -> None:
    serial = lab.disks()[3]
    read = ["timeout", "1", "dd", "if=/dev/sdd", "of=/dev/null", "bs=64k", "count=1", "iflag=direct"]
    lab.fault_disk(serial, fault)
    said = threading.Thread(target=lambda: answers.append(lab.exec(read, check=False).returncode))
    answers: list[int] = []
    said.start()
    if fault is Fault.ERRORS:
        said.join()
        assert answers == [1]
    else:
        time.sleep(0.5)
        assert not answers
    lab.fault_disk(serial, Fault.SOUND)
    said.join()
    assert lab.exec(read).returncode == 0
