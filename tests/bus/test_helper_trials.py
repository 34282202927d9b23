"""One permission for a shoot-out: what it covers is asked for no more, and everything else is, as before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any

import pytest
from dbus_fast import Variant
from raidwright.core.model.plan import Member
from raidwright.core.protocol import actions
from raidwright.core.protocol.names import INTERFACE
from raidwright_helper.service.trials import Trials
from raidwright_helper.verbs import disk_verbs
from raidwright_helper.verbs.array_verbs import ArrayVerbs
from raidwright_helper.verbs.disk_verbs import Verbs

from .fake_polkit import Answer
from .helper_house import PATIENCE_S, Client, House, a_plan, variants

UUID, INNER, OTHER, REAL = (f"{digit * 8}:0a1b2c3d:0a1b2c3d:0a1b2c3d" for digit in "1234")
DISKS = [{"id": f"wwn-0x500{n}", "model": "WD80EFZX", "serial": f"ZHZ{n}", "size_bytes": 8 * 10**12} for n in (1, 2)]
SCRATCH = variants({"confirmed_name": "tank", "scratch": True})
ACTS = {Verbs: ("_create", "_measure", "_measure_files", "_stop_scratch"), ArrayVerbs: ("_fail", "_remove", "_re_add")}


@pytest.fixture
def acts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What got through the door."""
    through: list[str] = []

    def stands_in(name: str) -> Any:
        async def act(*_: object) -> str:
            through.append(name)
            return "/"

        return act

    for kind, names in ACTS.items():
        for name in names:
            monkeypatch.setattr(kind, name, stands_in(name))

    async def hold_disks(*_: object) -> tuple[()]:
        return ()

    monkeypatch.setattr(disk_verbs, "hold_disks", hold_disks)
    return through


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


def note(house: House, uuid: str, owner: str, disks: list[dict[str, Any]], inner: tuple[str, ...] = ()) -> None:
    """A scratch array that ``owner`` has."""
    house.settings.notes.mkdir(exist_ok=True, mode=0o700)
    path = house.settings.notes / f"{uuid.replace(':', '-')}.json"
    path.write_text(
        json.dumps({"version": 2, "uuid": uuid, "inner": inner, "owner": owner, "boot_id": "", "members": disks})
    )


async def begin(client: Client) -> None:
    reply = await client.call("BeginTrial", "aa{sv}u", [variants(disk) for disk in DISKS], 30)
    assert not reply.error_name, reply.body


MEMBER = variants(DISKS[0])
COVERED: list[tuple[str, str, list[Any]]] = [
    ("CreateArray", "a{sv}a{sv}", [a_plan(), SCRATCH]),
    ("RunWorkload", "ssa{sv}", [f"md:{UUID}", "random_write_4k", {}]),
    ("RunWorkload", "ssa{sv}", [f"md:{UUID}", "sequential_read", {}]),
    ("RunWorkload", "ssa{sv}", [f"md:{UUID}", "own_randrw_70_4k_q32", {}]),
    ("MeasureFileSystem", "ssa{sv}", [f"md:{UUID}", "xfs", {}]),
    ("FailMember", "ssa{sv}b", [UUID, "tank", MEMBER, True]),
    ("RemoveMember", "ssa{sv}b", [INNER, "tank-0", MEMBER, True]),
    ("ReAddMember", "ssa{sv}b", [UUID, "tank", MEMBER, True]),
    ("StopScratch", "s", [UUID]),
]


def _plan_on(**changes: Any) -> dict[str, Any]:
    return a_plan(members=[DISKS[0], DISKS[1] | changes])


NOT_COVERED: list[tuple[str, str, list[Any]]] = [
    ("CreateArray", "a{sv}a{sv}", [a_plan(), variants({"confirmed_name": "tank"})]),
    ("CreateArray", "a{sv}a{sv}", [a_plan(), SCRATCH | {"wipe": Variant("a{sas}", {"wwn-0x5001": ["gpt"]})}]),
    ("CreateArray", "a{sv}a{sv}", [_plan_on(id="wwn-0x5003"), SCRATCH]),
    ("CreateArray", "a{sv}a{sv}", [_plan_on(serial="ZHZ9"), SCRATCH]),
    ("CreateArray", "a{sv}a{sv}", [_plan_on(size_bytes=4 * 10**12), SCRATCH]),
    ("CreateArray", "a{sv}a{sv}", [_plan_on(disk="wwn-0x5003", partition=1), SCRATCH]),
    ("CreateArray", "a{sv}a{sv}", [a_plan(spares=[DISKS[0] | {"id": "wwn-0x5003"}]), SCRATCH]),
    ("CreateArray", "a{sv}a{sv}", [{}, SCRATCH]),
    ("RunWorkload", "ssa{sv}", [f"md:{OTHER}", "random_write_4k", {}]),  # somebody else's
    ("RunWorkload", "ssa{sv}", [f"md:{REAL}", "random_write_4k", {}]),
    ("RunWorkload", "ssa{sv}", ["wwn-0x5001", "sequential_read", {}]),
    ("MeasureFileSystem", "ssa{sv}", [f"md:{REAL}", "xfs", {}]),
    ("MeasureFileSystem", "ssa{sv}", [f"md:{OTHER}", "xfs", {}]),
    ("MeasureFileSystem", "ssa{sv}", ["wwn-0x5001", "xfs", {}]),
    ("RunWorkload", "ssa{sv}", [UUID, "random_write_4k", {}]),
    ("FailMember", "ssa{sv}b", [UUID, "tank", MEMBER, False]),
    ("FailMember", "ssa{sv}b", [REAL, "tank", MEMBER, True]),
    ("StopScratch", "s", [OTHER]),
    ("StopScratch", "s", [REAL]),
    ("StopScratch", "s", ["../../etc/passwd"]),
    ("BeginTrial", "aa{sv}u", [[MEMBER], 30]),  # for longer, say
]


@pytest.mark.parametrize(("member", "signature", "body"), COVERED)
def test_what_a_trial_covers_is_asked_for_once(
    house: House, acts: list[str], member: str, signature: str, body: list[Any]
) -> None:
    async def test() -> None:
        async with house.open() as client:
            await begin(client)
            [question] = house.polkit.questions
            assert (question.action, question.details["minutes"]) == (actions.BEGIN_TRIAL.id, "30")
            note(house, UUID, client.name, DISKS, (INNER,))
            house.polkit.answer = Answer.NO
            reply = await client.call(member, signature, *body)
            assert not reply.error_name, reply.body
            assert len(house.polkit.questions) == 1
            assert len(acts) == 1
            stranger = await house.client()
            assert (await stranger.call(member, signature, *body)).error_name == f"{INTERFACE}.Error.Denied"
            assert len(acts) == 1

    run(test())


@pytest.mark.parametrize(("member", "signature", "body"), NOT_COVERED)
def test_everything_else_is_asked_for_as_before(
    house: House, acts: list[str], member: str, signature: str, body: list[Any]
) -> None:
    async def test() -> None:
        async with house.open() as client:
            await begin(client)
            other = await house.client()
            note(house, UUID, client.name, DISKS, (INNER,))
            note(house, OTHER, other.name, DISKS)
            house.polkit.answer = Answer.NO
            reply = await client.call(member, signature, *body)
            assert reply.error_name == f"{INTERFACE}.Error.Denied", reply.body
            assert len(house.polkit.questions) == 2

    run(test())
    assert acts == []


def test_a_scratch_array_on_a_disk_that_was_not_named_is_not_covered(house: House, acts: list[str]) -> None:
    """As one that the caller had made before, each time asked."""

    async def test() -> None:
        async with house.open() as client:
            await begin(client)
            note(house, UUID, client.name, [*DISKS, DISKS[0] | {"id": "wwn-0x5009"}])
            house.polkit.answer = Answer.NO
            assert (await client.call("StopScratch", "s", UUID)).error_name == f"{INTERFACE}.Error.Denied"

    run(test())


def test_a_refused_trial_covers_nothing(house: House, acts: list[str]) -> None:
    async def test() -> None:
        async with house.open(Answer.NO) as client:
            reply = await client.call("BeginTrial", "aa{sv}u", [variants(disk) for disk in DISKS], 30)
            assert reply.error_name == f"{INTERFACE}.Error.Denied"
            reply = await client.call("CreateArray", "a{sv}a{sv}", a_plan(), SCRATCH)
            assert reply.error_name == f"{INTERFACE}.Error.Denied"

    run(test())
    assert acts == []


@pytest.mark.parametrize(
    ("disks", "minutes"),
    [([], 30), ([MEMBER] * 65, 30), ([MEMBER], 0), ([MEMBER], 1441), ([{"id": Variant("s", "/dev/sda")}], 30)],
)
def test_what_is_no_trial_is_refused_by_a_sentence(
    house: House, acts: list[str], disks: list[Any], minutes: int
) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("BeginTrial", "aa{sv}u", disks, minutes)
            assert reply.error_name == f"{INTERFACE}.Error.BadInput"
            assert reply.body[0].endswith(".")

    run(test())


def test_disks_that_are_not_there_are_not_let(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("BeginTrial", "aa{sv}u", [variants(disk) for disk in DISKS], 30)
            assert reply.error_name == f"{INTERFACE}.Error.DiskRefused"
            house.polkit.answer = Answer.NO
            reply = await client.call("CreateArray", "a{sv}a{sv}", a_plan(), SCRATCH)
            assert reply.error_name == f"{INTERFACE}.Error.Denied"

    run(test())


def test_it_ends_with_its_time_and_its_owner() -> None:
    now = [0.0]
    trials, disk = Trials(lambda: now[0]), Member("wwn-0x1", 2**40, "WD", "A")
    trials.begin(":1.7", [disk], 30)
    assert trials.covers(":1.7", [disk])
    assert not trials.covers(":1.8", [disk])
    assert not trials.covers(":1.7", [])
    now[0] = 1799.0
    assert trials.covers(":1.7", [disk])
    now[0] = 1800.0
    assert not trials.covers(":1.7", [disk])
    trials.begin(":1.7", [disk], 30)
    trials.end(":1.7")
    assert not trials.covers(":1.7", [disk])
