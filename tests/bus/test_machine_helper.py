"""The helper's client: no signal lost, no job abandoned, every failure with a sentence."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from dbus_fast.aio import MessageBus
from dbus_fast.constants import MessageFlag, MessageType
from dbus_fast.message import Message
from dbus_fast.signature import Variant
from dbus_fast.unpack import unpack_variants
from raidwright.core.errors import Denied, DiskRefused, InputError, JobFailed, RaidwrightError, Unreachable
from raidwright.core.model.disk import Health
from raidwright.core.model.plan_json import read_plan
from raidwright.core.protocol import looking
from raidwright.core.protocol.facts import BuildState, DiskFacts, DiskSignature
from raidwright.core.protocol.measured import Sample, WorkloadResult
from raidwright.core.protocol.results import BuildResult, UndoResult
from raidwright.machine import machine as machine_module
from raidwright.machine.bus import Bus, BusCall
from raidwright.machine.helper.client import Helper
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray, ListBuilds, Undo
from raidwright.operations.disks import ExamineHealth, ExamineSignatures, as_health
from raidwright.operations.measuring import RunWorkload
from raidwright.reading.plans import loads_plan

from tests.kit.asking import ask

from .fake_udisks import FakeUDisks
from .private_bus import PrivateBus, private_bus

_NAME = "org.raidwright.Helper1"
_JOB = "/org/raidwright/Helper1/jobs/0123456789abcdef"
_PLAN = loads_plan(
    '{"version": 1, "name": "tank", "level": "raid10", "layout": "f2", "chunk_kib": 256, "members": ['
    '"missing", {"id": "wwn-0x5", "size_bytes": 8000000000000, "serial": "Ä1", "baseline": {"rpm": 7200}},'
    '{"level": "raid1", "members": [{"id": "wwn-0x6", "size_bytes": 1}]}], "links": {"ata1": {"mb_s": 320.5}}}'
)
_BUILT = {
    "device": Variant("s", "/dev/md127"),
    "uuid": Variant("s", "a:b:c:d"),
    "array_sectors": Variant("t", 2**40),
    "component_size_kib": Variant("t", 2**30),
    "command": Variant("s", "mdadm"),
    "log": Variant("as", ["one", "two"]),
    "brand_new": Variant("s", "of a newer helper"),
}
_MEASURED = {name: Variant("d", 1.5) for name in ("seconds", "mb_s", "iops", "latency_ms", "latency_p99_ms")} | {
    "workload": Variant("s", "sequential_read"),
    "command": Variant("s", "fio"),
}


class FakeHelper:
    """Fake helper that answers each call by ``script``; ``calls`` are (member, arguments, interactive)."""

    def __init__(self, bus: MessageBus, script: Callable[[FakeHelper, Message], None]) -> None:
        self.bus = bus
        self.calls: list[tuple[str, list[Any], bool]] = []
        self.called = asyncio.Event()
        self._script = script
        bus.add_message_handler(self._answer)

    def _answer(self, message: Message) -> bool:
        if message.message_type is not MessageType.METHOD_CALL:
            return False
        interactive = bool(message.flags & MessageFlag.ALLOW_INTERACTIVE_AUTHORIZATION)
        self.calls.append((message.member or "", unpack_variants(message.body), interactive))
        self._script(self, message)
        self.called.set()
        return True

    def reply(self, message: Message, signature: str = "o", *body: object) -> None:
        """Reply with a job's path, or with ``body``."""
        self.bus.send(Message.new_method_return(message, signature, list(body or (_JOB,))))

    def tell(self, message: Message, member: str, signature: str, *body: object) -> None:
        """Send a job's signal to the caller alone."""
        signal = Message.new_signal(_JOB, f"{_NAME}.Job", member, signature, list(body))
        signal.destination = message.sender
        self.bus.send(signal)


@pytest.fixture
def bus() -> Iterator[PrivateBus]:
    with private_bus() as each:
        yield each


@contextlib.asynccontextmanager
async def _scene(
    bus: PrivateBus, script: Callable[[FakeHelper, Message], None]
) -> AsyncIterator[tuple[FakeHelper, Helper]]:
    service = await MessageBus(bus_address=bus.address).connect()
    fake = FakeHelper(service, script)
    await service.request_name(_NAME)
    client = await Bus.connect(bus.address)
    try:
        yield fake, Helper(client)
    finally:
        await client.close()
        service.disconnect()
        with contextlib.suppress(EOFError, OSError):
            await service.wait_for_disconnect()  # type: ignore[no-untyped-call]


def _run(
    bus: PrivateBus, script: Callable[[FakeHelper, Message], None]
) -> tuple[FakeHelper, BuildResult, list[JobProgress | Sample]]:
    async def scene() -> tuple[FakeHelper, BuildResult, list[JobProgress | Sample]]:
        updates: list[JobProgress | Sample] = []
        async with _scene(bus, script) as (fake, helper):
            result = await ask(helper, CreateArray(_PLAN, "tank"), updates.append)
        return fake, result, updates

    return asyncio.run(scene())


def _fails(bus: PrivateBus, script: Callable[[FakeHelper, Message], None]) -> RaidwrightError:
    with pytest.raises(RaidwrightError) as caught:
        _run(bus, script)
    return caught.value


def test_a_build_from_call_to_result(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        fake.reply(message)
        fake.tell(message, "Progress", "sd", "stage-create", 0.25)
        fake.tell(message, "Ended", "a{sv}", _BUILT)

    fake, result, updates = _run(bus, script)
    assert updates == [JobProgress("stage-create", 0.25)]
    assert result == BuildResult("/dev/md127", "a:b:c:d", 2**40, 2**30, "mdadm", ("one", "two"))
    (member, (plan, options), interactive) = fake.calls[0]
    assert (member, options, interactive) == ("CreateArray", {"confirmed_name": "tank", "scratch": False}, True)
    assert read_plan(plan) == _PLAN  # None values aren't sent, all others arrive unchanged


def test_a_job_may_speak_before_its_path_is_known(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        fake.tell(message, "Progress", "sd", "stage-early", 0.0)
        fake.tell(message, "Ended", "a{sv}", _BUILT)
        fake.reply(message)

    _, result, updates = _run(bus, script)
    assert (result.device, updates) == ("/dev/md127", [JobProgress("stage-early", 0.0)])


def test_a_refused_disk(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        error = Message.new_error(message, f"{_NAME}.Error.DiskRefused", "sda holds ext4.")
        fake.bus.send(error)

    error = _fails(bus, script)
    assert (type(error), error.sentence) == (DiskRefused, "sda holds ext4.")


def test_a_job_that_fails(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        fake.reply(message)
        fake.tell(message, "Failed", "ssa{sv}", "command-failed", "mdadm said no.", {"step": Variant("s", "create")})

    error = _fails(bus, script)
    assert (type(error), error.sentence) == (JobFailed, "mdadm said no.")
    assert (error.code, error.fields) == ("command-failed", {"step": "create"})


def test_a_result_of_an_older_helper(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        fake.reply(message)
        fake.tell(message, "Ended", "a{sv}", {"device": Variant("s", "/dev/md127")})

    assert _fails(bus, script).code == "result-shape"


def test_the_helper_vanishes_in_the_middle(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        fake.reply(message)
        asyncio.get_running_loop().call_later(0.05, fake.bus.disconnect)

    error = _fails(bus, script)
    assert (type(error), error.code) == (Unreachable, "vanished")


def test_the_bus_vanishes_in_the_middle(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        fake.reply(message)
        asyncio.get_running_loop().call_later(0.05, bus.stop)

    async def scene() -> None:
        service = await MessageBus(bus_address=bus.address).connect()
        FakeHelper(service, script)
        await service.request_name(_NAME)
        helper = Helper(await Bus.connect(bus.address))
        with pytest.raises(Unreachable):  # the helper's end may be noticed before the bus's
            await ask(helper, RunWorkload("md:1", "sequential_read", 1))
        with contextlib.suppress(EOFError):
            await service.wait_for_disconnect()  # type: ignore[no-untyped-call]

    asyncio.run(scene())


def test_a_broken_connection_leaves_no_exception_to_nobody(bus: PrivateBus) -> None:
    async def scene() -> list[str]:
        said: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: said.append(context["message"]))
        for sends_first in (True, False):
            broken = await Bus.connect(bus.address)
            broken._connection._sock.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]
            call = BusCall("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping")
            if sends_first:
                broken.send(call)
            with pytest.raises(Unreachable):
                await broken.call(call)
            await broken.wait_closed()
        gc.collect()
        return said

    assert asyncio.run(scene()) == []


def test_a_stranger_can_not_end_a_job(bus: PrivateBus) -> None:
    async def scene() -> None:
        stranger = await MessageBus(bus_address=bus.address).connect()

        def script(fake: FakeHelper, message: Message) -> None:
            fake.reply(message)
            forged = Message.new_signal(_JOB, f"{_NAME}.Job", "Ended", "a{sv}", [{"device": Variant("s", "forged")}])
            forged.destination = message.sender
            stranger.send(forged)
            asyncio.get_running_loop().call_later(0.05, fake.tell, message, "Ended", "a{sv}", _BUILT)

        async with _scene(bus, script) as (_fake, helper):
            result = await ask(helper, CreateArray(_PLAN, "tank"))
            assert result.device == "/dev/md127"
        stranger.disconnect()
        await stranger.wait_for_disconnect()  # type: ignore[no-untyped-call]

    asyncio.run(scene())


def test_cancelling_tells_the_helper_and_waits(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        if message.member == "Cancel":
            fake.reply(message, "")
            fake.tell(message, "Failed", "ssa{sv}", "cancelled", "The job was cancelled.", {})
        else:
            fake.reply(message)

    async def scene() -> None:
        async with _scene(bus, script) as (fake, helper):
            running = asyncio.ensure_future(ask(helper, RunWorkload("md:1", "random_read_4k", 9)))
            await fake.called.wait()
            await asyncio.sleep(0.05)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert fake.calls[-1] == ("Cancel", [_JOB], False)

    asyncio.run(scene())


def test_cancelling_while_a_password_is_asked(bus: PrivateBus) -> None:
    """A job that starts after all, because the password was given later, is cancelled at once."""
    waiting: list[Message] = []

    def script(fake: FakeHelper, message: Message) -> None:
        if message.member == "CreateArray":
            waiting.append(message)

    async def scene() -> None:
        async with _scene(bus, script) as (fake, helper):
            running = asyncio.ensure_future(ask(helper, CreateArray(_PLAN, "tank")))
            await fake.called.wait()
            fake.called.clear()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            fake.reply(waiting[0])
            await fake.called.wait()
            assert fake.calls[-1][:2] == ("Cancel", [_JOB])

    asyncio.run(scene())


def test_a_workload_and_its_samples(bus: PrivateBus) -> None:
    figures = ("seconds", "read_mb_s", "write_mb_s", "read_iops", "write_iops", "latency_ms")
    older = dict.fromkeys(figures, Variant("d", 2.0))  # most of today's samples, too
    beside = {"busy": Variant("a{sd}", {"sda": 0.5}), "celsius": Variant("a{sd}", {}), "sync_action": Variant("s", "")}

    def script(fake: FakeHelper, message: Message) -> None:
        fake.reply(message)
        fake.tell(message, "Sample", "a{sv}", older)
        fake.tell(message, "Sample", "a{sv}", older | beside)
        fake.tell(message, "Ended", "a{sv}", _MEASURED)

    async def scene() -> None:
        updates: list[JobProgress | Sample] = []
        async with _scene(bus, script) as (fake, helper):
            result = await ask(helper, RunWorkload("md:1", "sequential_read", 3, region_mib=64), updates.append)
            assert fake.calls[0][1] == ["md:1", "sequential_read", {"seconds": 3, "region_mib": 64}]
            assert result == WorkloadResult("sequential_read", 1.5, 1.5, 1.5, 1.5, 1.5, "fio")
            plain = Sample(2.0, 2.0, 2.0, 2.0, 2.0, 2.0)
            assert updates == [plain, replace(plain, busy={"sda": 0.5}, celsius={}, sync_action="")]
            with pytest.raises(InputError):
                await ask(helper, RunWorkload("md:1", "sequential_read", -1), updates.append)

    asyncio.run(scene())


def test_facts_are_asked_for_without_a_prompt(bus: PrivateBus) -> None:
    entry = {
        "device": Variant("s", "/dev/sda"),
        "logical_sector_bytes": Variant("u", 512),
        "physical_sector_bytes": Variant("u", 4096),
        "link": Variant("s", "ata3"),
        "holders": Variant("as", ["md127"]),
        "read_only": Variant("b", False),
    }

    async def scene() -> None:
        async with _scene(bus, lambda fake, message: fake.reply(message, "aa{sv}", [entry])) as (fake, helper):
            facts = await helper.do(looking.EXAMINE_DISKS)
            assert facts == (DiskFacts(512, 4096, "ata3", ("md127",), read_only=False, device="/dev/sda"),)
            assert fake.calls == [("ExamineDisks", [], False)]

    asyncio.run(scene())


def test_no_helper_is_said(bus: PrivateBus) -> None:
    async def scene() -> None:
        client = await Bus.connect(bus.address)
        try:
            with pytest.raises(Unreachable, match="isn't installed"):
                await Helper(client).do(looking.EXAMINE_DISKS)
        finally:
            await client.close()

    asyncio.run(scene())


def test_denied_is_a_sentence(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        fake.bus.send(Message.new_error(message, f"{_NAME}.Error.Denied", "Only an administrator may do this."))

    error = _fails(bus, script)
    assert (type(error), str(error)) == (Denied, "Only an administrator may do this.")


def test_what_disks_carry_comes_as_values(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        found = {"wwn-0x5": [["gpt", 512, ""], ["1:ext4", 1049656, "photos"]], "wwn-0x6": []}
        fake.reply(message, "a{sa(sts)}", found)

    async def scene() -> None:
        async with _scene(bus, script) as (fake, helper):
            assert await ask(
                helper,
                ExamineSignatures(
                    (
                        "wwn-0x5",
                        "wwn-0x6",
                    )
                ),
            ) == {
                "wwn-0x5": (DiskSignature("gpt", 512), DiskSignature("1:ext4", 1049656, "photos")),
                "wwn-0x6": (),
            }
            assert fake.calls == [("ExamineSignatures", [["wwn-0x5", "wwn-0x6"], False], False)]

    asyncio.run(scene())


def test_a_disks_health_comes_as_a_value(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        told = {"failing": Variant("b", False), "power_on_hours": Variant("t", 7), "bad_sectors": Variant("t", 2)}
        limits = {"has_error_recovery": Variant("b", True), "error_recovery_read_ds": Variant("t", 70)}
        fake.reply(message, "a{sa{sv}}", {"wwn-0x5": told | limits})

    async def scene() -> None:
        async with _scene(bus, script) as (fake, helper):
            told = await ask(helper, ExamineHealth(("wwn-0x5",)))
            assert as_health(told["wwn-0x5"]) == Health(
                failing=False, power_on_hours=7, bad_sectors=2, has_error_recovery=True, error_recovery_read_s=7.0
            )
            assert fake.calls == [("ExamineHealth", [["wwn-0x5"], False], False)]

    asyncio.run(scene())


def test_what_may_be_removed_is_sent_by_name(bus: PrivateBus) -> None:
    def script(fake: FakeHelper, message: Message) -> None:
        fake.reply(message)
        fake.tell(message, "Ended", "a{sv}", _BUILT | {"build_id": Variant("s", "b" * 32)})

    async def scene() -> None:
        async with _scene(bus, script) as (fake, helper):
            result = await ask(helper, CreateArray(_PLAN, "tank", wipe={"wwn-0x5": ("gpt", "PMBR")}))
            assert result.build_id == "b" * 32
            assert fake.calls[0][1][1]["wipe"] == {"wwn-0x5": ["gpt", "PMBR"]}

    asyncio.run(scene())


def test_builds_of_the_past_and_the_way_back(bus: PrivateBus) -> None:
    record = {
        "id": Variant("s", "b" * 32),
        "name": Variant("s", "tank"),
        "state": Variant("s", "interrupted"),
        "began_s": Variant("t", 1795187141),
        "uuid": Variant("s", ""),
        "disks": Variant("as", ["WDC VK1"]),
        "steps": Variant("as", ["wipe"]),
        "removed": Variant("as", ["gpt: WDC VK1"]),
        "has_way_back": Variant("b", True),
        "synchronises": Variant("b", False),
    }
    undone = {"build_id": Variant("s", "b" * 32), "synchronised": Variant("b", False), "log": Variant("as", ["one"])}

    def script(fake: FakeHelper, message: Message) -> None:
        if message.member == "ListBuilds":
            fake.reply(message, "aa{sv}", [record])
        else:
            fake.reply(message)
            fake.tell(message, "Ended", "a{sv}", undone)

    async def scene() -> None:
        async with _scene(bus, script) as (fake, helper):
            [build] = await ask(helper, ListBuilds())
            assert (build.state, build.disks, build.has_way_back) == (BuildState.INTERRUPTED, ("WDC VK1",), True)
            result = await ask(helper, Undo(build.id))
            assert result == UndoResult("b" * 32, synchronised=False, log=("one",))
            assert [call[2] for call in fake.calls] == [False, True]  # only the second may ask for a password

    asyncio.run(scene())


@pytest.mark.parametrize("missing", ["helper", "polkit"])
def test_what_was_missing_is_looked_for_again_when_it_appears(
    bus: PrivateBus, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_module, "_AGAIN_SECONDS", 600.0)
    """The helper itself, or polkit, without which the helper allows nothing."""
    allows = missing != "polkit"

    def script(fake: FakeHelper, message: Message) -> None:
        empty = {"ExamineDisks": "aa{sv}", "ExamineArrays": "aa{sv}", "ExamineHost": "a{sv}"}
        if not allows:
            sentence = "polkit isn't running here, so nobody can give permission; install and start polkitd."
            error = Message.new_error(message, f"{_NAME}.Error.Denied", sentence)
            error.signature, error.body = "ssa{sv}", [sentence, "no-polkit", {}]
            fake.bus.send(error)
        else:
            kind = empty.get(message.member or "", "a{sa{sv}}")
            fake.reply(message, kind, [] if kind == "aa{sv}" else {})

    async def scene() -> None:
        nonlocal allows
        udisks = FakeUDisks(bus.address)
        await udisks.start()
        async with contextlib.AsyncExitStack() as stack:
            if missing == "polkit":
                await stack.enter_async_context(_scene(bus, script))
            machine = await stack.enter_async_context(Machine.connect(bus.address))
            async with asyncio.timeout(60):
                while not machine.snapshot.helper_problem:
                    await asyncio.sleep(0.01)
            said = machine.snapshot.helper_problem
            assert ("isn't installed on that machine" in said) == (missing == "helper")
            assert "install-helper" not in said  # the path of this computer's checkout is none of that machine's
            if missing == "helper":
                await stack.enter_async_context(_scene(bus, script))
            else:
                allows = True
                polkit = await MessageBus(bus_address=bus.address).connect()
                stack.callback(polkit.disconnect)
                await polkit.request_name("org.freedesktop.PolicyKit1")
            async with asyncio.timeout(60):
                while machine.snapshot.helper_problem:
                    await asyncio.sleep(0.01)
        await udisks.stop()

    asyncio.run(scene())
