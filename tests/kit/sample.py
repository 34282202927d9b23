"""Fixed values to draw the window without a machine: for pictures and tests."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk, Health, Use, UseKind
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.measured import Sample
from raidwright.core.units import marketing_bytes
from raidwright.machine.disk_json import disk_as_json
from raidwright.machine.values import Array, Snapshot
from raidwright.runs.run import ArrayState, Run, RunResult, Series
from raidwright.suites import Suite

_TB = 10**12
ARRAY_UUID = "5d1f2a30:7c9e44b1:a0c6d2e8:91b37f54"


def disk(number: int, terabytes: int = 8, **more: object) -> Disk:
    """Return a free 7200 rpm disk, the ``number``-th of its kind."""
    known: dict[str, object] = {
        "id": f"wwn-0x5000c500a1b2c3d{number:x}",
        "device": f"/dev/sd{chr(ord('a') + number)}",
        "model": "WDC WD80EFZX" if terabytes == 8 else "Seagate ST4000VN008",
        "serial": f"VK0ABCD{number:X}",
        "wwn": f"0x5000c500a1b2c3d{number:x}",
        "size_bytes": marketing_bytes(terabytes * _TB),
        "logical_sector_bytes": 512,
        "physical_sector_bytes": 4096,
        "rotation_rpm": 7200,
        "bus": "ata",
        "link": f"ata{number + 1}",
        "health": Health(failing=False, temperature_celsius=34, power_on_hours=10500),
    }
    return Disk(**(known | more))  # type: ignore[arg-type]


def machine() -> Snapshot:
    """Return four free disks, and three with content."""
    photos = disk(
        4,
        model="Seagate ST8000DM004",
        serial="ZR10XYZ7",
        rotation_rpm=5400,
        link="usb2-2-1",
        health=Health(failing=False, power_on_hours=34000),
        uses=(Use(UseKind.FILESYSTEM, "ext4 “photos”"), Use(UseKind.MOUNTED, "/srv/photos")),
    )
    system = disk(
        5,
        1,
        model="Samsung SSD 980",
        serial="S649NF0R",
        rotation_rpm=0,
        bus="nvme",
        physical_sector_bytes=512,
        link="nvme0",
        health=Health(failing=False, power_on_hours=3500),
        uses=(Use(UseKind.SYSTEM),),
    )
    store = disk(
        6,
        3,
        model="TOSHIBA HDWD130",
        serial="57KBX3",
        health=Health(failing=True, bad_sectors=8),
        uses=(Use(UseKind.STALE_ARRAY_MEMBER, "“store”"),),
    )
    return Snapshot((*(disk(number) for number in range(4)), photos, system, store))


def many_disks(count: int = 24) -> Snapshot:
    """Return a full case, with an overlong model name."""
    long_name = "HGST Ultrastar He10 HUH721010ALN600 Enterprise"
    return Snapshot(tuple(disk(number, 10, model=long_name) for number in range(count)))


def unlike_disks(smallest: int = 2, middle: int = 1, largest: int = 1) -> Snapshot:
    """Return disks of 4, 8 and 12 TB, as many of each."""
    sizes = [4] * smallest + [8] * middle + [12] * largest
    model = "Seagate ST12000VN0008"
    return Snapshot(
        tuple(disk(place, size, **({"model": model} if size == 12 else {})) for place, size in enumerate(sizes))
    )


def array(size_bytes: int, **more: object) -> Array:
    """Return the array “tank” during a resync."""
    known: dict[str, object] = {
        "uuid": ARRAY_UUID,
        "name": "tank",
        "level": "raid10",
        "device": "/dev/md127",
        "link": "/dev/md/tank",
        "size_bytes": size_bytes,
        "chunk_kib": 256,
        "running": True,
        "degraded": 0,
        "sync_action": "resync",
        "sync_fraction": 0.183,
        "sync_bytes_per_s": 198_000_000,
        "sync_seconds_left": 33_100,
    }
    return Array(**(known | more))  # type: ignore[arg-type]


def samples(seconds: float = 15, mean: float = 780) -> tuple[Sample, ...]:
    """Return a read that starts fast and slows down a little, four samples a second; each second with monitoring."""
    return tuple(
        Sample(
            seconds=step / 4,
            read_mb_s=mean * (min(1, step / 3) * 1.04 - step / 900 + 0.025 * math.sin(step * 1.7) * math.cos(step)),
            write_mb_s=0,
            read_iops=mean * 0.95,
            write_iops=0,
            latency_ms=9.8,
            busy=None if step % 4 else _busy(step),
            celsius=None if step % 40 != 4 else _celsius(step),
            sync_action=None if step % 4 else "idle",
        )
        for step in range(1, int(seconds * 4) + 1)
    )


def _celsius(step: int) -> dict[str, float]:
    return {f"sd{letter}": 34.0 + at + step / 40 for at, letter in enumerate("abcd")}


def _busy(step: int) -> dict[str, float]:
    """Return the utilisation of four disks, the last the busiest."""
    return {f"sd{letter}": 0.78 + 0.05 * at + 0.02 * math.sin(step * (at + 1)) for at, letter in enumerate("abcd")}


def runs() -> tuple[Run, ...]:
    """Return four stored runs, the newest first."""
    start = datetime(2026, 11, 20, 14, 20, tzinfo=UTC)
    figures = (
        ("sequential_read", 798),
        ("sequential_write", 371),
        ("random_read_4k_q32", 8.9),
        ("random_write_4k", 4.1),
    )
    return tuple(
        Run(
            id=f"run-{number}",
            started=start - timedelta(minutes=9 * number),
            machine="Practice machine",
            target=f"md:{ARRAY_UUID}",
            workload=kind,
            result=RunResult(kind, 15.0, mb_s, mb_s * 0.95, 9.81, 14.2, "fio --name=…"),
            samples=samples(mean=mb_s),
            is_practice=True,
            state=ArrayState.HEALTHY,
            context={"array": {"name": "tank"}, "disks": []},
        )
        for number, (kind, mb_s) in enumerate(figures)
    )


def plan() -> Plan:
    """Return the plan of the array “tank”."""
    return Plan(
        MdArray(
            Level.RAID10, tuple(disk(number).as_member() for number in range(4)), "tank", layout="f2", chunk_kib=256
        )
    )


def suite() -> tuple[Run, ...]:
    """Return the classic eight, each thrice, on the array “tank” during a resync; the newest first."""
    series, first = Series("suite-eight", "suite", Suite.CLASSIC), runs()[0]
    rates = (371, 798, 118, 231, 1.5, 1.0, 4.1, 8.9)
    timed = [disk_as_json(replace(disk(number), model="Seagate ST8000NM000A")) for number in range(4)]  # an hdd7200
    context = {"array": {"name": "tank", "sync_action": "resync"}, "disks": timed, "plan": dump_plan(plan())}
    found = [
        replace(
            first,
            id=f"suite-{workload}-{repeat}",
            started=first.started + timedelta(minutes=3 * place + repeat),
            workload=str(workload),
            series=series,
            repeat=repeat,
            is_practice=True,
            context=context,
            samples=samples(mean=rate),
            result=replace(first.result, workload=str(workload), mb_s=rate * (1 + repeat / 100)),
        )
        for place, (workload, rate) in enumerate(zip(Suite.CLASSIC.workloads, rates, strict=True))
        for repeat in (1, 2, 3)
    ]
    return tuple(reversed(found))


def repeats() -> tuple[Run, ...]:
    """Return a suite of two workloads, thrice before and thrice after a new kernel, and once during a resync."""
    rates = {
        "sequential_read": ((798, 803, 795), (801, 797, 804)),
        "random_read_4k_q32": ((8.9, 9.0, 8.8), (10.1, 10.2, 10.0)),
    }
    first = runs()[0]
    found = []
    for place, (day, kernel) in enumerate((("before", "6.1.0-28-amd64"), ("after", "6.12.6-amd64"))):
        series = Series(f"suite-{day}", "suite", "quick")
        around = {"kernel": kernel, "fio": "3.33", "sync_action": "idle"}
        for workload, sides in rates.items():
            found += [
                replace(
                    first,
                    id=f"{day}-{workload}-{number}",
                    started=first.started + timedelta(days=place, minutes=number),
                    workload=workload,
                    series=series,
                    repeat=number,
                    context={"array": {"name": "tank"}, "disks": [], "surroundings": around},
                    result=replace(first.result, workload=str(workload), mb_s=mb_s),
                )
                for number, mb_s in enumerate(sides[place], 1)
            ]
    busy = {"array": {"name": "tank"}, "disks": [], "surroundings": {"kernel": kernel, "sync_action": "resync"}}
    return (*reversed(found), replace(first, id="busy", context=busy, result=replace(first.result, mb_s=412)))
