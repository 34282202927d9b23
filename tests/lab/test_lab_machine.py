"""A running practice machine: its link, its roles, its disks."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from raidwright.core.errors import MachineError
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.machine import Lab, Role

from .conftest import ask, drives

pytestmark = pytest.mark.lab

_EIGHT_TB_BYTES = 15628053168 * 512
_TWENTY_TB_BYTES = 39063650304 * 512


def _until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it didn't happen in time"
        time.sleep(0.02)


def _processors(pid: int) -> set[int]:
    """Return the processors that it may run on; none if it has ended meanwhile."""
    try:
        return os.sched_getaffinity(pid)
    except ProcessLookupError:
        return set()


def _bus_message(member: str, name: str) -> Message:
    bus = "org.freedesktop.DBus"
    return Message(bus, "/org/freedesktop/DBus", bus, member, signature="s", body=[name])


def test_udisks_lists_the_disks_that_were_ordered(lab: Lab) -> None:
    found = drives(lab)
    assert set(found) == set(lab.disks()) == {"VK00001", "VK00002", "VK00003", "VK00004"}
    for drive in found.values():
        assert (drive["Vendor"], drive["Model"], drive["Size"]) == ("WDC", "WD80EFZX", _EIGHT_TB_BYTES)
        assert drive["RotationRate"] != 0
    assert len({drive["WWN"] for drive in found.values()}) == 4


def test_its_kernel_and_what_runs_in_it_take_turns_on_one_processor(lab: Lab) -> None:
    kernel = int((lab.directory / "kernel/pid").read_text())
    guests = [int(pid) for pid in Path(f"/proc/{kernel}/task/{kernel}/children").read_text().split()]
    assert guests
    (processor,) = os.sched_getaffinity(kernel)
    assert set().union(*map(_processors, guests)) == {processor}


@pytest.mark.parametrize(("role", "uid"), [("root", 0), ("admin", 1000), ("user", 1001)])
def test_the_bus_sees_a_live_process_of_the_role(lab: Lab, role: Role, uid: int) -> None:
    async def scene() -> None:
        bus = await MessageBus(bus_address=lab.bus_address(role)).connect()
        seen = await bus.call(_bus_message("GetConnectionUnixUser", bus.unique_name or ""))
        assert seen is not None
        assert seen.body == [uid]
        process = await bus.call(_bus_message("GetConnectionUnixProcessID", bus.unique_name or ""))
        assert process is not None
        status = lab.exec(["grep", "Uid", f"/proc/{process.body[0]}/status"]).stdout
        assert status.split()[1:] == [str(uid).encode()] * 4
        bus.disconnect()
        await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]

    asyncio.run(scene())


def test_a_client_that_goes_is_gone_from_the_bus(lab: Lab) -> None:
    async def connect_and_go() -> str:
        bus = await MessageBus(bus_address=lab.bus_address("user")).connect()
        name = bus.unique_name or ""
        bus.disconnect()
        await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]
        return name

    name = asyncio.run(connect_and_go())
    _until(lambda: ask(lab, _bus_message("NameHasOwner", name)).body == [False])


def test_polkit_answers_by_role(lab: Lab) -> None:
    def rescan() -> Message:
        block = "/org/freedesktop/UDisks2/block_devices/sda"
        return Message(
            "org.freedesktop.UDisks2", block, "org.freedesktop.UDisks2.Block", "Rescan", signature="a{sv}", body=[{}]
        )

    assert ask(lab, rescan(), "admin").message_type is MessageType.METHOD_RETURN
    refused = ask(lab, rescan(), "user")
    assert refused.message_type is MessageType.ERROR
    assert "NotAuthorized" in (refused.error_name or "")


def test_a_command_keeps_its_bytes_and_its_exit_code(lab: Lab) -> None:
    every_byte = bytes(range(256)) * 500
    assert lab.exec(["cat"], every_byte).stdout == every_byte
    both = lab.exec(["sh", "-c", "echo out; echo err >&2; exit 7"], check=False)
    assert (both.returncode, both.stdout, both.stderr) == (7, b"out\n", b"err\n")
    assert lab.exec(["sh", "-c", "kill -9 $$"], check=False).returncode == -9
    with pytest.raises(MachineError, match="no-such-thing"):
        lab.exec(["no-such-thing"])


def test_bulk_output_holds_up_no_bus(lab: Lab) -> None:
    bulk = threading.Thread(target=lab.exec, args=(["head", "-c", "8000000", "/dev/zero"],))
    bulk.start()
    answered = 0
    while bulk.is_alive():
        ask(lab, _bus_message("NameHasOwner", "org.freedesktop.UDisks2"))
        answered += 1
    assert answered > 2  # of which the last may have come after it


def test_a_command_ends_when_its_caller_goes(lab: Lab) -> None:
    with pytest.raises(MachineError):
        lab.exec(["sleep", "4321"], timeout_seconds=0.5)
    _until(lambda: lab.exec(["pgrep", "-f", "^sleep 4321"], check=False).returncode == 1)


@pytest.mark.parametrize(("logical", "physical"), [(512, 512), (4096, 4096), (512, 4096)])
def test_disks_come_and_go(lab: Lab, logical: int, physical: int) -> None:
    serial = f"ZVT{logical:04d}{physical:04d}"
    disk = LabDisk("Seagate", "ST20000NM007D", serial, _TWENTY_TB_BYTES, False, logical, physical)
    lab.add_disk(disk)
    _until(lambda: serial in drives(lab))
    assert drives(lab)[serial]["Size"] == _TWENTY_TB_BYTES
    assert drives(lab)[serial]["RotationRate"] == 0
    found = lab.exec(["lsblk", "-dno", "SERIAL,LOG-SEC,PHY-SEC,ROTA"]).stdout.decode().splitlines()
    assert [serial, str(logical), str(physical), "0"] in [line.split() for line in found]
    lab.pull_disk(serial)
    _until(lambda: serial not in drives(lab), seconds=1)
    with pytest.raises(MachineError, match=serial):
        lab.pull_disk(serial)


def test_a_write_reads_back_after_the_cache_is_dropped(lab: Lab) -> None:
    data = os.urandom(65536)
    lab.exec(["dd", "of=/dev/sdd", "bs=64k", "seek=100000000", "oflag=direct", "status=none"], data)
    back = lab.exec(["dd", "if=/dev/sdd", "bs=64k", "skip=100000000", "count=1", "iflag=direct", "status=none"])
    assert back.stdout == data
