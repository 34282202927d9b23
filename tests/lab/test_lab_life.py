"""Ends of a practice machine: on its user's request, with its parent, and when even its supervisor is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from raidwright.core.errors import InputError, MachineError, Unreachable
from raidwright.lab.machine import LabSpec, find, list_labs, start
from raidwright.lab.paths import LabPaths, sweep
from raidwright.lab.shelf import disks_from_text, next_number

pytestmark = pytest.mark.lab

_PARENT = """
import sys, time
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text
start(LabSpec(disks_from_text(sys.argv[1], at_memory_speed=True)), name=sys.argv[2])
print("up", flush=True)
time.sleep(600)
"""
_USED = "1TB:gpt+8TB:ext4+2TB:lvm+1TB:md+500GB:mounted"


def _until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it didn't happen in time"
        time.sleep(0.05)


def _processes_of(paths: LabPaths) -> list[int]:
    """Return every process with the lab on its command line, or in that of its parent."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended meanwhile
        if f"/{paths.name}/".encode() in command:
            found.append(int(entry.name))
    return found


def _parent(name: str, disks: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", _PARENT, disks, name], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    return process


def test_used_disks_are_used_and_nothing_outlives_a_killed_parent() -> None:
    paths = LabPaths(f"used-{os.getpid()}")
    with _parent(paths.name, _USED) as parent:
        lab = find(paths.name)
        assert paths.name in [other.name for other in list_labs()]
        facts = lab.exec(["lsblk", "-no", "SERIAL,FSTYPE,PTTYPE,TYPE,MOUNTPOINTS"]).stdout.decode()
        rows = [line.split() for line in facts.splitlines()]
        assert ["WCC6Y0001", "gpt", "disk"] in rows
        assert ["VK00002", "ext4", "disk"] in rows
        assert ["WFL20003", "LVM2_member", "disk"] in rows
        assert ["WCC6Y0004", "linux_raid_member", "disk"] in rows
        assert ["S6PYNM0R0005", "ext4", "disk", "/srv/S6PYNM0R0005"] in rows
        assert b"[2/1]" in lab.exec(["cat", "/proc/mdstat"]).stdout
        assert lab.exec(["vgs", "--noheadings", "-o", "vg_name"]).stdout.split() == [b"vg_WFL20003"]
        assert _processes_of(paths)
        parent.kill()
    _until(lambda: not paths.run.exists() and not paths.scratch.exists())
    _until(lambda: not _processes_of(paths))
    with pytest.raises(InputError):
        find(paths.name)


def test_a_detached_lab_ends_when_told_and_leaves_nothing_even_if_its_supervisor_is_killed() -> None:
    paths = LabPaths(f"apart-{os.getpid()}")
    raidwright = [sys.executable, "-m", "raidwright", "lab", "--name", paths.name]
    subprocess.run([*raidwright, "up", "1x1TB"], check=True, capture_output=True)
    again = subprocess.run([*raidwright, "up", "1x1TB"], check=False, capture_output=True, text=True)
    assert again.returncode == 1
    assert paths.name in again.stderr
    answer = subprocess.run([*raidwright, "exec", "cat"], check=True, capture_output=True, input=b"\0\xff")
    assert answer.stdout == b"\0\xff"
    (kernel,) = [pid for pid in _processes_of(paths) if _parent_of(pid) not in _processes_of(paths)]
    os.kill(_parent_of(kernel), signal.SIGKILL)
    _until(lambda: not _processes_of(paths))
    sweep()
    assert not paths.run.exists()
    assert not paths.scratch.exists()
    with pytest.raises(InputError):
        find(paths.name)


def _parent_of(pid: int) -> int:
    return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])


def test_disks_are_ordered_by_text() -> None:
    disks = disks_from_text("2x8TB+500GB:mounted", first_number=9, at_memory_speed=True)
    assert [disk.serial for disk in disks] == ["VK00009", "VK0000A", "S6PYNM0R000B"]
    assert next_number(disk.serial for disk in disks) == 12
    with pytest.raises(InputError, match="gpt"):
        disks_from_text("8TB:ntfs", at_memory_speed=True)
    with pytest.raises(InputError, match="24 TB"):
        disks_from_text("30TB", at_memory_speed=True)


def test_names_that_could_leave_the_directory_are_refused() -> None:
    for name in ("", "..", "a/b", "A", "-a", "x" * 33):
        with pytest.raises(InputError):
            LabPaths(name)
    assert issubclass(InputError, Exception)
    assert not issubclass(InputError, MachineError)


def test_a_machine_whose_disk_server_is_killed_ends_and_says_so() -> None:
    with start(LabSpec(disks_from_text("1TB", at_memory_speed=True))) as lab:
        os.kill(_disk_server(LabPaths(lab.name)), signal.SIGKILL)
        with pytest.raises(Unreachable, match="because its disks have: ended with SIGKILL"):
            lab.exec(["dd", "if=/dev/zero", "of=/dev/sda", "bs=1M", "count=8", "oflag=direct"])


def test_lab_up_ends_with_the_reason_if_its_disk_server_dies_while_it_starts() -> None:
    """As Linux 7's page of zeros did, which the server ended at: lab up hung, and said nothing."""
    paths = LabPaths(f"dying-{os.getpid()}")
    argv = [sys.executable, "-m", "raidwright", "lab", "--name", paths.name, "up", "1x1TB"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as starting:
        _until(lambda: bool(_disk_servers(paths)))
        os.kill(_disk_server(paths), signal.SIGKILL)
        _, said = starting.communicate(timeout=120)
    assert starting.returncode == 1
    assert "has ended, because its disks have: ended with SIGKILL" in said
    _until(lambda: not paths.is_alive())


def _disk_server(paths: LabPaths) -> int:
    (found,) = _disk_servers(paths)
    return found


def _disk_servers(paths: LabPaths) -> list[int]:
    folder = os.fsencode(paths.store.resolve())
    commands = {entry: _command_of(entry) for entry in Path("/proc").glob("[0-9]*")}
    return [int(entry.name) for entry, command in commands.items() if command.split(b"\0")[1:2] == [folder]]


def _command_of(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # ended meanwhile
        return b""
