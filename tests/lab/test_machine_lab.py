"""The machine layer against the real UDisks2, polkit, helper and md of a practice machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.errors import Denied, DiskRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk, UseKind
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.protocol.measured import Sample
from raidwright.lab.machine import Lab, LabSpec, Role, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot
from raidwright.operations.builds import CreateArray
from raidwright.operations.measuring import RunWorkload
from raidwright.runs.run import ArrayState
from raidwright.runs.store import Runs

from tests.kit.asking import ask

pytestmark = pytest.mark.lab

_SPEC = "4x8TB+2TB:gpt+2TB:ext4+2TB:lvm+2TB:md+2TB:mounted"
_USED = {
    4: {UseKind.PARTITION_TABLE},
    5: {UseKind.FILESYSTEM},
    6: {UseKind.LVM},
    7: {UseKind.ARRAY_MEMBER},
    8: {UseKind.MOUNTED, UseKind.FILESYSTEM},
}


@pytest.fixture(scope="module")
def practice() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text(_SPEC, at_memory_speed=True))) as lab:
        yield lab


class Watched:
    """A machine, and a function that waits for a state."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._changed = asyncio.Event()
        machine.watch(lambda _snapshot: self._changed.set())

    async def until(self, holds: Callable[[Snapshot], bool], seconds: float = 120.0) -> Snapshot:
        """Return the first snapshot for which ``holds`` is true."""
        async with asyncio.timeout(seconds):
            while not holds(self.machine.snapshot):
                await self._changed.wait()
                self._changed.clear()
        return self.machine.snapshot


def _on(lab: Lab, scene: Callable[[Watched], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
    async def whole() -> None:
        async with Machine.connect(lab.bus_address(role)) as machine:
            await scene(Watched(machine))

    asyncio.run(whole())


def _by_serial(snapshot: Snapshot) -> dict[str, Disk]:
    return {disk.serial: disk for disk in snapshot.disks}


def _serials(snapshot: Snapshot) -> set[str]:
    return set(_by_serial(snapshot))


def _mirror(disks: list[Disk], name: str) -> Plan:
    return Plan(MdArray(level=Level.RAID1, members=tuple(disk.as_member() for disk in disks), name=name))


def test_every_disk_has_its_identity(practice: Lab) -> None:
    ordered = {disk.serial: disk for disk in disks_from_text(_SPEC, at_memory_speed=True)}

    async def scene(watched: Watched) -> None:
        assert watched.machine.snapshot.is_reading
        await watched.machine.facts_seen()  # the helper knows their rpm
        found = _by_serial(await watched.until(lambda seen: not seen.is_reading))
        assert found.keys() == ordered.keys()
        for serial, disk in found.items():
            order = ordered[serial]
            assert disk.model == f"{order.vendor} {order.model}"
            assert disk.size_bytes == order.size_bytes
            assert disk.id == f"wwn-{disk.wwn}"
            assert disk.id in disk.by_id
            assert disk.rotation_rpm == order.rotation_rpm
        assert len({disk.id for disk in found.values()}) == len(found)

    _on(practice, scene)


def test_every_disk_says_what_it_is_in_use_for(practice: Lab) -> None:
    serials = [disk.serial for disk in disks_from_text(_SPEC, at_memory_speed=True)]

    async def scene(watched: Watched) -> None:
        found = _by_serial(watched.machine.snapshot)
        for number, serial in enumerate(serials):
            assert {use.kind for use in found[serial].uses} == _USED.get(number, set()), serial
        details = {use.kind: use.detail for number in _USED for use in found[serials[number]].uses}
        assert details[UseKind.PARTITION_TABLE] == "gpt"
        assert details[UseKind.FILESYSTEM].startswith("ext4")
        assert details[UseKind.MOUNTED].startswith("/srv/")
        assert details[UseKind.ARRAY_MEMBER]

    _on(practice, scene, "user")  # as anyone may see, without the helper


def test_the_helper_adds_what_udisks_does_not_know(practice: Lab) -> None:
    async def scene(watched: Watched) -> None:
        snapshot = await watched.until(lambda seen: all(disk.logical_sector_bytes for disk in seen.disks))
        assert {disk.logical_sector_bytes for disk in snapshot.disks} == {512}
        assert all(disk.link for disk in snapshot.disks)
        volume = next(disk for disk in snapshot.disks if any(use.kind is UseKind.LVM for use in disk.uses))
        assert not volume.is_free

    _on(practice, scene)


def test_the_first_picture_comes_with_the_connection(practice: Lab) -> None:
    async def scene(_watched: Watched) -> None:
        async with Machine.connect(practice.bus_address("user")) as machine:
            assert machine.snapshot.disks

    _on(practice, scene)


def test_a_disk_that_is_plugged_in_or_pulled_shows_by_itself(practice: Lab) -> None:
    (extra,) = disks_from_text("2TB", first_number=40, at_memory_speed=True)

    async def scene(watched: Watched) -> None:
        await asyncio.to_thread(practice.add_disk, extra)
        snapshot = await watched.until(lambda seen: extra.serial in _serials(seen))
        assert _by_serial(snapshot)[extra.serial].is_free
        await asyncio.to_thread(practice.pull_disk, extra.serial)
        await watched.until(lambda seen: extra.serial not in _serials(seen))

    _on(practice, scene)


def test_a_restart_of_udisksd_is_survived(practice: Lab) -> None:
    async def scene(watched: Watched) -> None:
        before = watched.machine.snapshot
        problems: list[str] = []
        watched.machine.watch(lambda seen: problems.append(seen.problem))
        await asyncio.to_thread(practice.exec, ["systemctl", "restart", "udisks2.service"])
        await watched.until(lambda seen: not seen.problem and _serials(seen) == _serials(before))
        assert any("UDisks2" in problem for problem in problems)

    _on(practice, scene)


def test_an_ordinary_user_is_denied_in_a_sentence(practice: Lab) -> None:
    async def scene(watched: Watched) -> None:
        free = [disk for disk in watched.machine.snapshot.disks if disk.is_free][:2]
        with pytest.raises(Denied) as caught:
            await ask(watched.machine.helper, CreateArray(_mirror(free, "bobs"), "bobs"), print)
        assert caught.value.sentence.endswith(".")
        assert "org." not in caught.value.sentence
        assert all(disk.is_free for disk in watched.machine.snapshot.disks if disk in free)

    _on(practice, scene, "user")


def test_a_used_disk_is_refused_by_the_helper_too(practice: Lab) -> None:
    async def scene(watched: Watched) -> None:
        snapshot = watched.machine.snapshot
        free = next(disk for disk in snapshot.disks if disk.is_free)
        for used in (disk for disk in snapshot.disks if not disk.is_free):
            plan = _mirror([free, used], "stolen")
            with pytest.raises(DiskRefused) as caught:
                await ask(watched.machine.helper, CreateArray(plan, "stolen"), print)
            assert used.serial in caught.value.sentence

    _on(practice, scene)


def test_an_administrator_builds_and_measures(practice: Lab) -> None:
    async def scene(watched: Watched) -> None:
        machine = watched.machine
        free = [disk for disk in machine.snapshot.disks if disk.is_free][:2]
        updates: list[JobProgress | Sample] = []
        built = await ask(machine.helper, CreateArray(_mirror(free, "tank"), "tank"), updates.append)
        assert all(isinstance(update, JobProgress) for update in updates)
        snapshot = await watched.until(lambda seen: any(array.uuid == built.uuid for array in seen.arrays))
        (array,) = (array for array in snapshot.arrays if array.uuid == built.uuid)
        assert (array.name, array.level, array.device, array.running) == ("tank", "raid1", built.device, True)
        assert array.size_bytes == built.array_sectors * 512
        assert set(array.member_devices) == {disk.device for disk in free}
        await watched.until(lambda seen: all(_by_serial(seen)[disk.serial].is_live for disk in free))
        # md updates its sync_completed once in many seconds; a running resync and its speed are reported at once.
        syncing = await watched.until(lambda seen: any(each.sync_bytes_per_s for each in seen.arrays))
        assert next(each for each in syncing.arrays if each.sync_bytes_per_s).sync_action == "resync"
        updates.clear()
        result = await ask(machine.helper, RunWorkload(f"md:{built.uuid}", "sequential_read", 2), updates.append)
        samples = [update for update in updates if isinstance(update, Sample)]
        assert result.mb_s > 0
        assert len(samples) >= 2

    _on(practice, scene)


def test_build_and_bench_on_the_command_line(
    practice: Lab, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    machine = ["--machine", f"lab:{practice.name}", "--json"]
    assert main(["disks", *machine]) == 0
    free = [disk for disk in json.loads(capsys.readouterr().out) if disk["free"]][:2]
    members = [{key: disk[key] for key in ("id", "model", "serial", "size_bytes")} for disk in free]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"name": "pond", "level": "raid0", "chunk_kib": 64, "members": members}))
    lockless = {"level": "raid1", "chunk_kib": None, "bitmap": "lockless"}
    plan.with_name("lockless.json").write_text(json.dumps(json.loads(plan.read_text()) | lockless))
    assert main(["build", str(plan.with_name("lockless.json")), "--yes-name", "pond", *machine]) == 2
    said = capsys.readouterr().err
    assert "that needs mdadm 4.6 or later, and this is 4.2" in said
    assert "is given up" not in said  # before anything is asked
    assert main(["build", str(plan), "--yes-name", "other", *machine]) == 2
    said = capsys.readouterr().err
    assert "Nothing was done" in said
    assert all(disk["serial"] in said for disk in free)
    assert main(["build", str(plan), "--yes-name", "pond", *machine]) == 0
    built = json.loads(capsys.readouterr().out)
    size = practice.exec(["blockdev", "--getsz", built["device"]]).stdout
    assert int(size) == built["array_sectors"]
    assert main(["bench", "--target", "pond", "--workload", "sequential_write", "--seconds", "2", *machine]) == 0
    run = json.loads(capsys.readouterr().out)
    kept = Runs().get(run["id"])
    assert kept.target == f"md:{built['uuid']}"
    assert kept.result.mb_s > 0
    assert len(kept.samples) >= 2
    assert {disk["serial"] for disk in kept.context["disks"]} == {disk["serial"] for disk in free}
    around = kept.context["surroundings"]
    assert around["kernel"] == practice.exec(["uname", "-r"]).stdout.decode().strip()
    assert f"fio-{around['fio']}" == practice.exec(["fio", "--version"]).stdout.decode().strip()
    assert ("sync_action" in around, kept.state) == (False, ArrayState.HEALTHY)  # a raid0 has nothing to synchronise
    for disk in free:
        name = disk["device"].removeprefix("/dev/")
        scheduler = practice.exec(["cat", f"/sys/block/{name}/queue/scheduler"]).stdout.decode()
        assert f"[{around[f'{name}/scheduler']}]" in scheduler
    assert kept.context["plan"]["chunk_kib"] == 64
    assert main(["bench", "--target", "pond", "--workload", "sequential_write", "--seconds", "2", *machine]) == 0
    again = json.loads(capsys.readouterr().out)
    assert main(["compare", run["id"], "--with", again["id"], "--json"]) == 0
    [told] = json.loads(capsys.readouterr().out)
    assert (told["kind"], told["unknown"]) == ("repeats", [])
    assert {one["aspect"] for one in told["warnings"]} <= {"steady", "busy"}  # as a busy host makes them
    assert main(["compare", run["id"], "--with", "predicted", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["predicted"]["mb_s"] > 0
    assert main(["bench", "--target", free[0]["id"], "--workload", "sequential_write", *machine]) in (1, 2)
    assert "never on a disk" in capsys.readouterr().err


def test_disks_on_the_command_line(practice: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["disks", "--machine", f"lab:{practice.name}", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {disk["serial"] for disk in listed} == {disk.serial for disk in disks_from_text(_SPEC, at_memory_speed=True)}
    assert main(["disks", "--machine", f"lab:{practice.name}"]) == 0
    table = capsys.readouterr().out
    assert all(disk["id"] in table for disk in listed)
    assert "mounted at /srv/" in table
    assert main(["disks", "--machine", f"lab:{practice.name}", "--role", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err
