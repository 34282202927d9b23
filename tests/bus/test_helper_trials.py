"""One authorisation for a shoot-out: covered calls aren't asked for again, and all others are, as before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any

import pytest
from dbus_fast import Variant
from raidwright.core.model.plan import Member
from raidwright.core.protocol import actions
from raidwright.core.protocol.names import INTERFACE
from raidwright_helper.jobs.trials import Trials
from raidwright_helper.verbs import disk_verbs, system_verbs
from raidwright_helper.verbs.array_verbs import ArrayVerbs
from raidwright_helper.verbs.disk_verbs import Verbs
from raidwright_helper.verbs.system_verbs import SystemVerbs

from .fake_polkit import Answer
from .helper_house import PATIENCE_S, Client, House, a_plan, variants

UUID, INNER, OTHER, REAL = (f"{digit * 8}:0a1b2c3d:0a1b2c3d:0a1b2c3d" for digit in "1234")
DISKS = [{"id": f"wwn-0x500{n}", "model": "WD80EFZX", "serial": f"ZHZ{n}", "size_bytes": 8 * 10**12} for n in (1, 2)]
SCRATCH = variants({"confirmed_name": "tank", "scratch": True})
ACTS = {
    Verbs: ("_create", "_measure", "_measure_files", "_stop_scratch"),
    ArrayVerbs: ("_fail", "_remove", "_re_add"),
    SystemVerbs: ("_tune",),
}


@pytest.fixture
def acts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the acts that were authorised."""
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

    async def find_array(*_: object) -> SimpleNamespace:
        return SimpleNamespace(label="tank")

    monkeypatch.setattr(disk_verbs, "hold_disks", hold_disks)
    monkeypatch.setattr(system_verbs, "find_array", find_array)
    return through


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


def note(house: House, uuid: str, owner: str, disks: list[dict[str, Any]], inner: tuple[str, ...] = ()) -> None:
    """Record a scratch array of ``owner``."""
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
    ("Tune", "ssa{sv}", [UUID, "tank", variants({"read_ahead_kib": 512})]),
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
    ("Tune", "ssa{sv}", [UUID, "tank", variants({"read_ahead_kib": 512, "lasting": "always"})]),
    ("Tune", "ssa{sv}", [REAL, "tank", variants({"read_ahead_kib": 512})]),
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
    """Such as one that the caller had made before, with a prompt each time."""

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


SWEPT: list[tuple[str, str, list[Any]]] = [
    ("Tune", "ssa{sv}", [REAL, "tank", variants({"read_ahead_kib": 512})]),
    ("Tune", "ssa{sv}", [REAL, "tank", variants({"read_ahead_kib": 512, "lasting": "now"})]),
    ("RunWorkload", "ssa{sv}", [f"md:{REAL}", "buffered_read", {}]),
    ("RunWorkload", "ssa{sv}", [f"md:{REAL}", "sequential_write", {}]),
]
NOT_SWEPT: list[tuple[str, str, list[Any]]] = [
    ("Tune", "ssa{sv}", [OTHER, "tank", variants({"read_ahead_kib": 512})]),
    ("Tune", "ssa{sv}", [REAL, "tank", variants({"stripe_cache_size": 512})]),
    ("Tune", "ssa{sv}", [REAL, "tank", variants({"read_ahead_kib": 512, "error_recovery_s": 7})]),
    ("Tune", "ssa{sv}", [REAL, "tank", variants({"read_ahead_kib": 512, "lasting": "always"})]),
    ("Tune", "ssa{sv}", [REAL, "tank", variants({"lasting": "forget"})]),
    ("Tune", "ssa{sv}", [REAL, "tank", variants({"read_ahead_kib": 512, "lasting": 0})]),
    ("RunWorkload", "ssa{sv}", [f"md:{OTHER}", "buffered_read", {}]),
    ("RunWorkload", "ssa{sv}", ["wwn-0x5001", "buffered_read", {}]),
    ("MeasureFileSystem", "ssa{sv}", [f"md:{REAL}", "xfs", {}]),
    ("StopArray", "ss", [REAL, "tank"]),
    ("StopScratch", "s", [REAL]),
    ("BeginSweep", "ssasu", [REAL, "tank", ["read_ahead_kib"], 30]),  # for longer, say
]


@pytest.mark.parametrize(
    ("member", "signature", "body", "is_let"),
    [*((*one, True) for one in SWEPT), *((*one, False) for one in NOT_SWEPT)],
)
def test_a_sweep_covers_its_settings_for_now_and_no_more(
    house: House, acts: list[str], member: str, signature: str, body: list[Any], *, is_let: bool
) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("BeginSweep", "ssasu", REAL, "tank", ["read_ahead_kib"], 30)
            assert not reply.error_name, reply.body
            [question] = house.polkit.questions
            assert question.action == actions.BEGIN_SWEEP.id
            assert (question.details["values"], question.details["minutes"]) == ("read ahead kib", "30")
            house.polkit.answer = Answer.NO
            reply = await client.call(member, signature, *body)
            assert (reply.error_name == f"{INTERFACE}.Error.Denied") is not is_let, reply.body
            assert len(house.polkit.questions) == 2 - is_let
            stranger = await house.client()
            assert (await stranger.call(member, signature, *body)).error_name == f"{INTERFACE}.Error.Denied"

    run(test())
    assert len(acts) == is_let


@pytest.mark.parametrize(
    ("settings", "minutes"),
    [([], 30), (["no_such"], 30), (["read_ahead_kib"] * 99, 30), (["scheduler"], 0), (["scheduler"], 1441)],
)
def test_what_is_no_sweep_is_refused(house: House, settings: list[str], minutes: int) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("BeginSweep", "ssasu", REAL, "tank", settings, minutes)
            assert reply.error_name == f"{INTERFACE}.Error.BadInput"
            reply = await client.call("BeginSweep", "ssasu", REAL, "tank", ["scheduler"], 30)  # which doesn't exist
            assert reply.error_name == f"{INTERFACE}.Error.DiskRefused"
            house.polkit.answer = Answer.NO
            reply = await client.call("Tune", "ssa{sv}", REAL, "tank", variants({"scheduler": "none"}))
            assert reply.error_name == f"{INTERFACE}.Error.Denied"

    run(test())


def test_a_sweep_ends_with_its_time_and_its_owner() -> None:
    now = [0.0]
    trials = Trials(lambda: now[0])
    trials.begin_sweep(":1.7", REAL, ["scheduler"], 30)
    assert trials.sweeps(":1.7", REAL, ["scheduler"])
    assert not trials.sweeps(":1.8", REAL)
    now[0] = 1800.0
    assert not trials.sweeps(":1.7", REAL)
    trials.begin_sweep(":1.7", REAL, ["scheduler"], 30)
    trials.end(":1.7")
    assert not trials.sweeps(":1.7", REAL)


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
