"""Jobs: signalled to their owner alone, cancelled by their owner alone, and gone with all their processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, unpack_variants
from raidwright.core.errors import JobFailed
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.protocol.measured import Sample
from raidwright.core.protocol.names import INTERFACE, JOB_INTERFACE, JOBS_PATH
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.workload import Workload
from raidwright_helper.acts import build, create
from raidwright_helper.acts import measure as measure_verb
from raidwright_helper.acts.measure import PreparedWorkload
from raidwright_helper.host import md, runner
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import stream
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.jobs.journal import Record
from raidwright_helper.verbs import disk_verbs as verbs

from .helper_house import PATIENCE_S, Client, House, a_plan, is_owned, variants

_DISK = os.makedev(8, 0)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


@pytest.fixture
def endless(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house whose workloads are a shell and its child, which report their process ids as a sample and stay."""

    async def prepare(_host: Host, claims: Claims, _request: object, until: contextlib.ExitStack) -> PreparedWorkload:
        until.enter_context(claims.hold({_DISK}))
        return PreparedWorkload(Workload.SEQUENTIAL_READ, Pinned(_DISK, "/dev/sda", -1), 60, 2**20, "3.33")

    async def measure(_host: Host, _run: PreparedWorkload, job: Job) -> Mapping[str, object]:
        argv = ("/bin/sh", "-c", "trap '' TERM; sleep 300 & echo $! $$; wait")
        await stream(argv, lambda line: job.sample(_of_two(*map(float, line.split()))), limit_s=100)
        return {}

    monkeypatch.setattr(runner, "_POLITE_SECONDS", 0.2)
    monkeypatch.setattr(measure_verb, "prepare", prepare)
    monkeypatch.setattr(measure_verb, "measure", measure)
    return house


def _of_two(first: float, second: float) -> Sample:
    return Sample(first, second, 0.0, 0.0, 0.0, 0.0)


async def _start(client: Client) -> tuple[str, list[int]]:
    return await _begun(client, await _run_workload(client))


async def _start_when_free(client: Client) -> tuple[str, list[int]]:
    """Start a job; an ended job frees its disk only a moment after its processes are dead."""
    async with asyncio.timeout(PATIENCE_S):
        while (reply := await _run_workload(client)).error_name == f"{INTERFACE}.Error.Busy":
            await asyncio.sleep(0.01)
    return await _begun(client, reply)


async def _run_workload(client: Client) -> Message:
    return await client.call("RunWorkload", "ssa{sv}", "wwn-0x1", "sequential_read", {})


async def _begun(client: Client, reply: Message) -> tuple[str, list[int]]:
    assert not reply.error_name, reply.body
    sample = await client.signal("Sample")
    assert sample.path == reply.body[0]
    return str(reply.body[0]), [int(sample.body[0][name]) for name in ("seconds", "read_mb_s")]


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


async def _until_dead(pids: list[int]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while any(map(_alive, pids)):
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("way", ["service", "job"])
def test_its_owner_cancels_it_and_no_process_stays(endless: House, way: str) -> None:
    async def test() -> None:
        async with endless.open() as client:
            path, pids = await _start(client)
            assert all(map(_alive, pids))
            if way == "service":
                await client.call("Cancel", "o", path)
            else:
                await client.call("Cancel", path=path, interface=JOB_INTERFACE)
            failed = await client.signal("Failed", "Ended")
            assert (failed.member, failed.path, failed.body[0]) == ("Failed", path, "cancelled")
            await _until_dead(pids)
            assert (await client.call("Cancel", "o", path)).error_name == f"{INTERFACE}.Error.NoSuchJob"

    run(test())


def test_nobody_else_hears_of_it_or_ends_it(endless: House) -> None:
    async def test() -> None:
        async with endless.open() as client:
            other = await endless.client()
            path, pids = await _start(client)
            for forged in (path, f"{JOBS_PATH}/{'0' * 32}", "/", JOBS_PATH):
                reply = await other.call("Cancel", "o", forged)
                assert reply.error_name == f"{INTERFACE}.Error.NoSuchJob"
            reply = await other.call("Cancel", path=path, interface=JOB_INTERFACE)
            assert reply.error_name == f"{INTERFACE}.Error.NoSuchJob"
            assert all(map(_alive, pids))
            assert other.signals.empty()

    run(test())


def test_a_workload_ends_with_its_owner(endless: House) -> None:
    async def test() -> None:
        async with endless.open() as client:
            leaver = await endless.client()
            _, pids = await _start(leaver)
            leaver.bus.disconnect()
            await _until_dead(pids)
            await _start_when_free(client)

    run(test())


def test_a_disk_has_one_job_at_a_time(endless: House) -> None:
    async def test() -> None:
        async with endless.open() as client:
            path, _ = await _start(client)
            reply = await _run_workload(client)
            assert reply.error_name == f"{INTERFACE}.Error.Busy"
            await client.call("Cancel", "o", path)
            await client.signal("Failed")
            await _start(client)

    run(test())


def test_paths_can_not_be_guessed(endless: House) -> None:
    async def test() -> None:
        async with endless.open() as client:
            path, _ = await _start(client)
            number = path.removeprefix(f"{JOBS_PATH}/")
            assert len(number) == 32
            assert int(number, 16) > 0

    run(test())


@pytest.fixture
def slow_build(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[House, asyncio.Event, list[str]]:
    """A house that builds when the event is set; and its log."""
    go, acts = asyncio.Event(), list[str]()

    async def verify_plan(*_: object) -> None: ...

    async def hold_disks(*_: object) -> tuple[HeldDisk, ...]:
        return ()

    async def make_array(_host: Host, _plan: object, _disks: object, job: Job, **_how: object) -> md.RunningArray:
        job.progress(JobStep.CREATE, 0.1)
        try:
            await go.wait()
        except asyncio.CancelledError:
            acts.append("undone")
            raise
        job.record.commands.append("mdadm")
        acts.append("built")
        return md.RunningArray(9, "/dev/md9", "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d", 8, 4)

    monkeypatch.setattr(create, "verify_plan", verify_plan)

    async def fingerprint(*_: object, **_how: object) -> dict[str, str]:
        return {"/0 head": "ends"}

    async def dismantle(*_: object) -> None: ...

    async def uuids_of(*_: object) -> list[str]:
        return ["0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"]

    monkeypatch.setattr(md, "uuids_of", uuids_of)
    monkeypatch.setattr(verbs, "hold_disks", hold_disks)
    monkeypatch.setattr(create, "make_array", make_array)
    monkeypatch.setattr(create, "clear_new", lambda *_: None)

    async def found_on(_node: str) -> tuple[()]:
        return ()

    monkeypatch.setattr(create, "found_on", found_on)
    monkeypatch.setattr(md, "stop_arrays", dismantle)
    monkeypatch.setattr(build, "make_array", make_array)
    monkeypatch.setattr(build, "data_heads", lambda *_: ())
    monkeypatch.setattr(build, "fingerprint", fingerprint)
    monkeypatch.setattr(md, "dismantle", dismantle)
    return house, go, acts


@pytest.mark.parametrize(("scratch", "act"), [(False, "built"), (True, "undone")])
def test_a_real_build_outlives_its_owner_and_a_scratch_one_does_not(
    slow_build: tuple[House, asyncio.Event, list[str]], scratch: bool, act: str
) -> None:
    house, go, acts = slow_build

    async def test() -> None:
        async with house.open() as client:
            leaver = await house.client()
            options = variants({"confirmed_name": "tank", "scratch": scratch})
            await leaver.call("CreateArray", "a{sv}a{sv}", a_plan(), options)
            await leaver.signal("Progress")
            leaver.bus.disconnect()
            while await is_owned(client.bus, leaver.name):
                await asyncio.sleep(0.02)
            await client.call("ExamineDisks")  # the helper has received it by now: the bus keeps the order
            go.set()
            async with asyncio.timeout(PATIENCE_S):
                while not acts:
                    await asyncio.sleep(0.02)

    run(test())
    assert acts == [act]


def test_a_scratch_array_goes_with_its_owner(
    slow_build: tuple[House, asyncio.Event, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    house, go, _ = slow_build
    go.set()

    async def test() -> None:
        async with house.open():
            leaver = await house.client()
            options = variants({"confirmed_name": "tank", "scratch": True})
            await leaver.call("CreateArray", "a{sv}a{sv}", a_plan(), options)
            ended = await leaver.signal("Ended", "Failed")
            assert ended.body[0]["array_sectors"] == 8
            [note] = house.settings.notes.iterdir()
            assert note.stat().st_mode & 0o777 == 0o600
            leaver.bus.disconnect()
            async with asyncio.timeout(PATIENCE_S):
                while note.exists():
                    await asyncio.sleep(0.02)

    async def dismantled(*_: object) -> None: ...

    monkeypatch.setattr(md, "dismantle", dismantled)
    run(test())


def test_the_result_says_what_md_says(slow_build: tuple[House, asyncio.Event, list[str]]) -> None:
    house, go, _ = slow_build
    go.set()

    async def test() -> None:
        async with house.open() as client:
            await client.call("CreateArray", "a{sv}a{sv}", a_plan(), variants({"confirmed_name": "tank"}))
            ended = await client.signal("Ended", "Failed")
            [kept] = house.settings.backups.iterdir()
            assert ended.body == [
                {
                    "build_id": kept.name,
                    "device": "/dev/md9",
                    "uuid": "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d",
                    "array_sectors": 8,
                    "component_size_kib": 4,
                    "command": "mdadm",
                    "log": ["mdadm"],
                }
            ]

    run(test())


@pytest.mark.parametrize("is_left", [False, True])
def test_a_scratch_arrays_note_stays_as_long_as_something_of_it_does(
    monkeypatch: pytest.MonkeyPatch, is_left: bool
) -> None:
    """Or nobody would ever remove it."""

    async def fail(*_: object, **_how: object) -> None:
        raise JobFailed("It is open.", code="command-failed")

    async def succeed(*_: object) -> None: ...

    monkeypatch.setattr(create, "make_array", fail)
    monkeypatch.setattr(md, "dismantle", fail if is_left else succeed)
    forgotten: list[str] = []
    job = Job("", Record("CreateArray", 0), lambda _message: None)

    def forget() -> None:
        forgotten.append("note")

    with pytest.raises(JobFailed, match="Not all could be undone: It is open" if is_left else "is off the disks again"):
        asyncio.run(create.make_scratch(Host(), Plan(MdArray(Level.RAID0, ())), (), job, (), forget))
    assert forgotten == ([] if is_left else ["note"])


def test_a_scratch_array_is_noted_before_anything_of_it_is_there(
    slow_build: tuple[House, asyncio.Event, list[str]],
) -> None:
    """So that after any interruption the next helper knows of it."""
    house, go, acts = slow_build

    async def test() -> None:
        async with house.open() as client:
            inner = {"level": "raid1", "members": [{"id": "wwn-0x1", "size_bytes": 2**40}]}
            nested = a_plan(
                level="raid0", members=[inner, inner | {"members": [{"id": "wwn-0x2", "size_bytes": 2**40}]}]
            )
            await client.call(
                "CreateArray", "a{sv}a{sv}", nested, variants({"confirmed_name": "tank", "scratch": True})
            )
            await client.signal("Progress")
            [note] = house.settings.notes.iterdir()
            told = json.loads(note.read_text(encoding="utf-8"))
            assert (acts, told["owner"], len(told["inner"])) == ([], client.name, 2)
            assert note.name == f"{told['uuid'].replace(':', '-')}.json"
            go.set()
            await client.signal("Ended")
            [listed] = unpack_variants((await client.call("ListScratch")).body)
            assert [(one["uuid"], one["why_left"]) for one in listed] == [(told["uuid"], "")]

    run(test())


def test_metadata_without_a_uuid_of_its_own_makes_no_scratch_array(
    slow_build: tuple[House, asyncio.Event, list[str]],
) -> None:
    house, _, acts = slow_build

    async def test() -> None:
        async with house.open() as client:
            options = variants({"confirmed_name": "tank", "scratch": True})
            reply = await client.call("CreateArray", "a{sv}a{sv}", a_plan(metadata="0.90"), options)
            assert reply.body[1] == "scratch-metadata"

    run(test())
    assert acts == []
