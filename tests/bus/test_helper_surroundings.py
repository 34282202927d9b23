"""The helper's context of a measurement, on a host made of files."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from raidwright.core.md.mdadm_versions import MDADM_4_2, MdadmVersion
from raidwright_helper.acts.surroundings import surroundings_after, surroundings_of
from raidwright_helper.host import md
from raidwright_helper.host.host import Host

from .helper_house import put_device, put_text

MD, SDA = os.makedev(9, 127), os.makedev(8, 0)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    async def version() -> MdadmVersion:
        return MDADM_4_2

    monkeypatch.setattr(md, "mdadm_version", version)
    queue = {
        "queue/scheduler": "[mq-deadline] kyber none",
        "queue/read_ahead_kb": "128",
        "queue/write_cache": "write back",
    }
    disk = put_device(tmp_path, "sda", 8, 0, {"device/model": "X", **queue})
    array = put_device(
        tmp_path,
        "md127",
        9,
        127,
        {
            "md/sync_action": "resync",
            "md/degraded": "0",
            "md/stripe_cache_size": "256",
            "md/bitmap/location": "+8",
            "queue/read_ahead_kb": "4096",
        },
    )
    (array / "slaves").mkdir()
    (array / "slaves/sda").symlink_to(disk)
    return Host(tmp_path)


def test_an_array_and_each_of_its_disks(host: Host) -> None:
    assert asyncio.run(surroundings_of(host, MD, "3.33")) == {
        "kernel": os.uname().release,
        "mdadm": "4.2",
        "fio": "3.33",
        "sync_action": "resync",
        "degraded": "0",
        "stripe_cache_size": "256",
        "bitmap": "+8",
        "read_ahead_kib": "4096",
        "sda/scheduler": "mq-deadline",
        "sda/read_ahead_kib": "128",
        "sda/write_cache": "write back",
    }
    put_text(host.root / "sys/block/md127/md/sync_action", "idle\n")
    assert surroundings_after(host, MD) == {"sync_action_after": "idle"}


def test_a_disk_has_nothing_of_an_array(host: Host) -> None:
    names = asyncio.run(surroundings_of(host, SDA, "3.33")).keys()
    assert names == {"kernel", "mdadm", "fio", "sda/scheduler", "sda/read_ahead_kib", "sda/write_cache"}
    assert surroundings_after(host, SDA) == {}


def test_how_busy_processors_and_disks_are_before(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    put_text(host.root / "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n")
    put_text(host.root / "sys/block/sda/stat", "1 0 8 0 0 0 0 0 0 500 0 0 0 0 0 0 0\n")

    async def goes_by(seconds: float) -> None:
        put_text(host.root / "proc/pressure/cpu", f"some avg10=9.9 total={1000 + seconds * 1e6:.0f}\nfull total=7\n")
        put_text(host.root / "sys/block/sda/stat", "9 0 8 0 0 0 0 0 0 500 0 0 0 0 0 0 0\n")
        time.sleep(seconds)

    monkeypatch.setattr("raidwright_helper.acts.surroundings.asyncio.sleep", goes_by)
    told = asyncio.run(surroundings_of(host, MD, "3.33"))
    assert 60 < int(told["waiting_percent"]) <= 100
    assert told["disks_busy_percent"] == "0"


def test_from_when_on_a_disk_warns_that_it_is_too_warm(host: Host) -> None:
    sensor = host.root / "sys/block/sda/device/hwmon/hwmon2"
    put_text(sensor / "temp1_input", "38000\n")
    assert "sda/warns_at_celsius" not in asyncio.run(surroundings_of(host, SDA, "3.33"))
    put_text(sensor / "temp1_max", "60000\n")
    assert asyncio.run(surroundings_of(host, MD, "3.33"))["sda/warns_at_celsius"] == "60"


def test_how_full_a_mounted_file_system_is(host: Host) -> None:
    (host.root / "srv/tank").mkdir(parents=True)
    put_text(host.root / "proc/self/mountinfo", "36 35 9:127 / /srv/tank rw - ext4 /dev/md127 rw\n")
    room = os.statvfs(host.root)
    told = asyncio.run(surroundings_of(host, MD, "3.33"))["used_fraction"]
    assert float(told) == pytest.approx(1 - room.f_bfree / room.f_blocks, abs=0.01)
    (host.root / "srv/tank").rmdir()  # unmounted at this very moment
    assert "used_fraction" not in asyncio.run(surroundings_of(host, MD, "3.33"))
