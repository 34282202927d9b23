"""The file system of an array that is only read is mounted without a replay of its log."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused
from raidwright_helper.acts import mounting
from raidwright_helper.host.arrays import verify_reads_end
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.host.running_state import reshape_waits
from raidwright_helper.host.signatures import Signature

from .helper_house import put_array, put_device, put_text

MD3 = 9 << 8 | 3


@pytest.fixture
def host(tmp_path: Path) -> Host:
    put_array(tmp_path, "md3", "0a1b2c3d:00000001:00000002:00000003", "tank")
    put_text(tmp_path / "sys/block/md3/ro", "1\n")
    (tmp_path / "mnt").mkdir(mode=0o755)
    put_text(tmp_path / "etc/fstab", "")
    return Host(tmp_path)


def _mounted(host: Host, monkeypatch: pytest.MonkeyPatch, *kinds: str) -> tuple[str, list[str]]:
    """Return where the array's file system was mounted, and the commands; systemd mounts what it is told to."""

    async def found_on(_node: str) -> tuple[Signature, ...]:
        return tuple(Signature(kind, 0, 2) for kind in kinds)

    async def run(argv: Sequence[str], **_: Any) -> ProgramResult:
        put_text(host.root / "proc/self/mountinfo", f"36 25 9:3 / {argv[-1]} ro - {kinds[0]} /dev/md3 ro\n")
        return ProgramResult(tuple(argv), 0, "", "")

    monkeypatch.setattr(mounting, "found_on", found_on)
    monkeypatch.setattr(mounting, "run", run)
    log = list[str]()
    return asyncio.run(mounting.mount_to_look(host, MD3, "tank", log)), log


@pytest.mark.parametrize(
    ("kind", "option"),
    [("ext4", "noload"), ("ext3", "noload"), ("xfs", "norecovery"), ("btrfs", "rescue=nologreplay")],
)
def test_it_is_mounted_read_only_without_a_replay(
    host: Host, monkeypatch: pytest.MonkeyPatch, kind: str, option: str
) -> None:
    place, [command] = _mounted(host, monkeypatch, kind)
    assert place == "/mnt/tank"
    assert f"--options=nodev,nosuid,ro,{option}" in command


def test_another_folder_is_taken_where_the_first_is_somebodys(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    put_text(host.root / "mnt/tank/file", "mine")
    assert _mounted(host, monkeypatch, "ext4")[0] == "/mnt/tank-rescued"
    put_text(host.root / "etc/fstab", "/dev/sdz /mnt/tank-rescued ext4 defaults 0 2\n")
    assert _mounted(host, monkeypatch, "ext4") == ("", [])


def test_what_is_no_file_system_or_several_is_not_mounted(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _mounted(host, monkeypatch, "LVM2_member") == ("", [])
    assert _mounted(host, monkeypatch, "ext4", "xfs") == ("", [])


def test_an_array_is_only_read_if_it_or_what_is_below_it_is(host: Host) -> None:
    assert mounting.is_only_read(host, MD3)
    put_device(host.root, "dm-0", 253, 0, {"ro": "0"})
    put_text(host.root / "sys/block/dm-0/slaves/md3/dev", "9:3")
    assert mounting.is_only_read(host, 253 << 8)
    put_text(host.root / "sys/block/md3/ro", "0\n")
    assert not mounting.is_only_read(host, 253 << 8)


@pytest.mark.parametrize(
    ("level", "position", "action", "waits"),
    [
        ("raid5", "64512", "idle", True),
        ("raid6", "64512", "frozen", True),
        ("raid4", "0", "idle", True),
        ("raid6", "64512", "reshape", False),
        ("raid6", "none", "idle", False),
        ("raid10", "64512", "idle", False),
    ],
)
def test_what_lies_on_a_reshape_that_waits_is_not_read(
    host: Host, level: str, position: str, action: str, waits: bool
) -> None:
    for name, value in (("level", level), ("reshape_position", position), ("sync_action", action)):
        put_text(host.root / f"sys/block/md3/md/{name}", f"{value}\n")
    assert reshape_waits(host, MD3) is waits
    with pytest.raises(DiskRefused) if waits else contextlib.nullcontext():
        verify_reads_end(host, MD3, "tank")
