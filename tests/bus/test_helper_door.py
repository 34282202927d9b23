"""The dispatcher tested from outside: permitted, refused and malformed calls."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from dbus_fast import MessageType, ReleaseNameReply, Variant, introspection
from dbus_fast.aio import MessageBus
from raidwright.core.md.sync import NO_LIMIT_KIB_S
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import read_plan
from raidwright.core.protocol import actions, looking, verbs
from raidwright.core.protocol.actions import Action
from raidwright.core.protocol.names import BUS_NAME, INTERFACE, JOB_INTERFACE, JOBS_PATH, PATH
from raidwright.core.protocol.verb import Verb
from raidwright.core.protocol.verbs import VERBS
from raidwright_helper.acts import create
from raidwright_helper.service import dispatcher, polkit
from raidwright_helper.service.service import Service

from .fake_polkit import Answer
from .helper_house import METHODS, PATIENCE_S, Client, House, a_plan, is_owned, put_array, put_disk, variants

OPTIONS = variants({"confirmed_name": "tank"})
SCRATCH = variants({"confirmed_name": "tank", "scratch": True})
WIPING = OPTIONS | {"wipe": Variant("a{sas}", {"wwn-0x5001": ["gpt", "1:ext4"]})}
DISK = variants({"id": "wwn-0x5001", "model": "WD80EFZX", "serial": "ZHZ1", "size_bytes": 8 * 10**12})
UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
GOAL, EXT4 = variants({"level": "raid6", "slots": 5}), Variant("as", ["ext4"])
ERROR = f"{INTERFACE}.Error"

# Every verb that needs authorisation: its arguments, and its polkit check.
CALLS: list[tuple[Verb[Any], list[Any], Action]] = [
    (looking.EXAMINE_DISKS, [], actions.EXAMINE),
    (verbs.CREATE_ARRAY, [a_plan(), OPTIONS], actions.CREATE_ARRAY),
    (verbs.CREATE_ARRAY, [a_plan(), SCRATCH], actions.CREATE_SCRATCH),
    (verbs.CREATE_ARRAY, [a_plan(), {"scratch": Variant("s", "yes")}], actions.CREATE_ARRAY),
    (verbs.CREATE_ARRAY, [a_plan(), WIPING], actions.CREATE_ARRAY_WIPING),
    (verbs.CREATE_ARRAY, [a_plan(), {**SCRATCH, "wipe": Variant("s", "")}], actions.CREATE_ARRAY_WIPING),
    (looking.EXAMINE_SIGNATURES, [["wwn-0x5001"], False], actions.EXAMINE_SIGNATURES),
    (looking.EXAMINE_HEALTH, [["wwn-0x5001"], False], actions.EXAMINE_HEALTH),
    (verbs.LIST_BUILDS, [], actions.LIST_BUILDS),
    (verbs.UNDO, ["0" * 32], actions.UNDO_BUILD),
    (verbs.FORGET_BUILD, ["0" * 32], actions.FORGET_BUILD),
    (verbs.BEGIN_TRIAL, [[DISK], 30], actions.BEGIN_TRIAL),
    (verbs.LIST_SCRATCH, [], actions.EXAMINE),
    (verbs.STOP_SCRATCH, [UUID], actions.STOP_SCRATCH),
    (verbs.RUN_WORKLOAD, [f"md:{UUID}", "sequential_read", {}], actions.BENCHMARK_READ),
    (verbs.RUN_WORKLOAD, [f"md:{UUID}", "random_write_4k", {}], actions.BENCHMARK_WRITE),
    (verbs.RUN_WORKLOAD, [f"md:{UUID}", "random_mixed_4k_q32", {}], actions.BENCHMARK_WRITE),
    (verbs.RUN_WORKLOAD, [f"md:{UUID}", "no such thing", {}], actions.BENCHMARK_WRITE),
    (verbs.MEASURE_FILE_SYSTEM, [f"md:{UUID}", "xfs", {}], actions.BENCHMARK_WRITE),
    (verbs.TAKE_BASELINE, [DISK, {}], actions.BENCHMARK_READ),
    (verbs.TAKE_BASELINE, [DISK, {"write": Variant("b", False)}], actions.BENCHMARK_READ),
    (verbs.TAKE_BASELINE, [DISK, {"write": Variant("b", True)}], actions.BENCHMARK_WRITE),
    (verbs.TAKE_BASELINE, [DISK, {"write": Variant("s", "no")}], actions.BENCHMARK_WRITE),
    (verbs.TAKE_BASELINE, [{}, {"write": Variant("x", 0)}], actions.BENCHMARK_WRITE),
    (verbs.MEASURE_AT_ONCE, [[DISK, DISK], {}], actions.BENCHMARK_READ),
    (verbs.LOCATE_DISK, [DISK, {}], actions.LOCATE_DISK),
    (verbs.FAIL_MEMBER, [UUID, "tank", DISK, False], actions.FAIL_MEMBER),
    (verbs.FAIL_MEMBER, [UUID, "tank", DISK, True], actions.CHANGE_SCRATCH_MEMBER),
    (verbs.REMOVE_MEMBER, [UUID, "tank", DISK, False], actions.REMOVE_MEMBER),
    (verbs.REMOVE_MEMBER, [UUID, "tank", DISK, True], actions.CHANGE_SCRATCH_MEMBER),
    (verbs.RE_ADD_MEMBER, [UUID, "tank", DISK, False], actions.RE_ADD_MEMBER),
    (verbs.RE_ADD_MEMBER, [UUID, "tank", DISK, True], actions.CHANGE_SCRATCH_MEMBER),
    (verbs.STOP_ARRAY, [UUID, "tank"], actions.STOP_ARRAY),
    (verbs.START_ARRAY, [UUID, "tank", {}], actions.START_ARRAY),
    (verbs.CONTINUE_ARRAY, [UUID, "tank", {}], actions.START_ARRAY),
    (verbs.TAKE_OVER_ARRAY, [UUID, "tank", "photos"], actions.TAKE_OVER_ARRAY),
    (verbs.TRY_RESCUE, [{"way": Variant("s", "force")}], actions.TRY_RESCUE),
    (verbs.RESCUE_ARRAY, [{"way": Variant("s", "force")}, "tank"], actions.RESCUE_ARRAY),
    (verbs.DISMANTLE_ARRAY, [UUID, "tank", [DISK], [], {}], actions.DISMANTLE_ARRAY),
    (verbs.DISMANTLE_ARRAY, [UUID, "tank", [DISK], ["ext4"], {}], actions.DISMANTLE_ARRAY_HOLDING),
    (looking.EXAMINE_ARRAYS, [], actions.EXAMINE),
    (looking.EXAMINE_HOST, [], actions.EXAMINE),
    (looking.EXAMINE_LOAD, [], actions.EXAMINE),
    (looking.EXAMINE_MEMBERSHIPS, [["wwn-0x5001"], False], actions.EXAMINE_SIGNATURES),
    (looking.EXAMINE_SUPERBLOCKS, [["wwn-0x5001"], False], actions.EXAMINE_SIGNATURES),
    (looking.EXAMINE_STRIPES, [["wwn-0x5001"], False, {}, []], actions.EXAMINE_SIGNATURES),
    (verbs.ADD_MEMBER, [UUID, "tank", DISK, []], actions.ADD_MEMBER),
    (verbs.ADD_MEMBER, [UUID, "tank", DISK, ["ext4"]], actions.ADD_MEMBER_WIPING),
    (verbs.REPLACE_MEMBER, [UUID, "tank", DISK, DISK, []], actions.REPLACE_MEMBER),
    (verbs.REPLACE_MEMBER, [UUID, "tank", DISK, DISK, ["ext4"]], actions.REPLACE_MEMBER_WIPING),
    (verbs.CHANGE_ARRAY, [UUID, "tank", GOAL, [DISK]], actions.CHANGE_ARRAY),
    (verbs.CHANGE_ARRAY, [UUID, "tank", GOAL, [{**DISK, "wipe": EXT4}]], actions.CHANGE_ARRAY_WIPING),
    (verbs.PACE_CHANGE, [UUID, "tank", 0], actions.PACE_REBUILD),
    (verbs.PACE_CHANGE, [UUID, "tank", NO_LIMIT_KIB_S], actions.PACE_CHANGE),
    (looking.EXAMINE_CHANGE, [UUID, "tank", False], actions.EXAMINE),
    (looking.EXAMINE_CHANGE, [UUID, "tank", True], actions.EXAMINE_SIGNATURES),
    (verbs.REMOVE_VANISHED, [UUID, "tank"], actions.REMOVE_VANISHED),
    (verbs.START_CHECK, [UUID, "tank"], actions.START_CHECK),
    (verbs.PAUSE_CHECK, [UUID, "tank"], actions.PAUSE_CHECK),
    (verbs.LIST_CHECKS, [], actions.LIST_CHECKS),
    (verbs.MAKE_FILESYSTEM, [UUID, "tank", "ext4", {}], actions.MAKE_FILESYSTEM),
    (verbs.MOUNT, [UUID, "tank", "/srv/tank"], actions.MOUNT),
    (verbs.UNMOUNT, [UUID, "tank"], actions.UNMOUNT),
    (verbs.BEGIN_SWEEP, [UUID, "tank", ["read_ahead_kib"], 30], actions.BEGIN_SWEEP),
    (verbs.TUNE, [UUID, "tank", {"read_ahead_kib": Variant("x", 4096)}], actions.TUNE),
    (verbs.TUNE, [UUID, "tank", {"no such": Variant("x", 1)}], actions.TUNE),
    (verbs.TUNE, [UUID, "tank", {}], actions.TUNE),
    (verbs.EXAMINE_SETTINGS, [UUID, "tank"], actions.EXAMINE),
    (verbs.PREVIEW_CONFIGURATION, [UUID, "tank", {}], actions.PREVIEW_CONFIGURATION),
    (verbs.WRITE_CONFIGURATION, [UUID, "tank", {}, "0" * 64], actions.WRITE_CONFIGURATION),
    (verbs.RESTORE_CONFIGURATION, [], actions.RESTORE_CONFIGURATION),
    (looking.EXAMINE_ALERTS, [], actions.EXAMINE),
    (verbs.SET_WEBHOOK, ["ntfy", "https://ntfy.sh/tank", "secret"], actions.SET_WEBHOOK),
    (verbs.SEND_TEST_ALERT, ["webhook"], actions.SEND_TEST_ALERT),
]


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


@pytest.mark.parametrize(("verb", "body", "action"), CALLS)
@pytest.mark.parametrize("answer", [Answer.NO, Answer.ASK, Answer.ERROR, Answer.NONSENSE])
def test_nothing_is_done_without_permission(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    answer: Answer,
    verb: Verb[Any],
    body: list[Any],
    action: Action,
) -> None:
    acts: list[str] = []
    for method in METHODS:
        module, (kind, name) = method.run.__module__, method.run.__qualname__.split(".")
        monkeypatch.setattr(f"{module}.{kind}.{name}", lambda *_, name=name: acts.append(name))

    async def test() -> None:
        async with house.open(answer) as client:
            reply = await client.ask(verb, *body)
            assert reply.error_name == f"{ERROR}.Denied"
            assert reply.body[0].endswith(".")
            [question] = house.polkit.questions
            assert (question.subject_kind, question.subject) == ("system-bus-name", client.name)
            assert question.action == action.id
            assert question.details.keys() == set(action.details)

    run(test())
    assert not acts


def test_every_verb_and_every_action_is_tried_above() -> None:
    assert {(verb.name, action.name) for verb, _, action in CALLS} == {
        (verb.name, action.name) for verb in VERBS for action in verb.actions
    }


def test_without_polkit_there_is_no_service(house: House) -> None:
    async def test() -> None:
        async with house.open(None) as client:
            reply = await client.call("ExamineDisks")
            assert reply.error_name == f"{ERROR}.NoPolkit"
            assert "polkit" in reply.body[0]

    run(test())


def test_permission_given_is_used(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("ExamineDisks")
            assert (reply.message_type, reply.body) == (MessageType.METHOD_RETURN, [[]])

    run(test())


@pytest.mark.parametrize("interactive", [True, False])
def test_a_password_is_asked_for_only_where_the_caller_allows_it(house: House, interactive: bool) -> None:
    async def test() -> None:
        async with house.open() as client:
            await client.call("ExamineDisks", interactive=interactive)
            assert house.polkit.questions[0].flags == int(interactive)

    run(test())


LIE = "the empty test disks LOOP0 and LOOP1. Choose Allow to go on; nothing else is touched"
TOLD = "WDC_WD80EFZX ZHZ1 (8.00 TB), WDC_WD80EFZX ZHZ2 (8.00 TB)"


def _two_disks(house: House) -> None:
    for number, name in enumerate(("sda", "sdb"), start=1):
        put_disk(house.root / "host", name, f"wwn-0x500{number}", "WDC_WD80EFZX", f"ZHZ{number}", 8 * 10**12)


@pytest.mark.parametrize("model", ["WD80EFZX", LIE, "<b>WD</b>&amp;"])
def test_the_prompt_names_model_serial_and_size_as_they_are_now(house: House, model: str) -> None:
    """And none of the caller's words about the disks: a whole lying sentence would fit into a model."""
    _two_disks(house)
    members = [{"id": f"wwn-0x500{n}", "model": model, "serial": f"{LIE} {n}", "size_bytes": 10**9 * n} for n in (1, 2)]

    async def test() -> None:
        async with house.open(Answer.NO) as client:
            await client.call("CreateArray", "a{sv}a{sv}", a_plan(members=members), OPTIONS)
            assert house.polkit.questions[0].details == {"name": "tank", "disks": TOLD}
            await client.call("FailMember", "ssa{sv}b", UUID, LIE, variants(members[0]), False)
            assert house.polkit.questions[1].details == {
                "array": "that is not here",
                "disk": TOLD.split(", ", maxsplit=1)[0],
            }
            await client.call("FailMember", "ssa{sv}b", UUID, LIE, variants(members[0] | {"id": "wwn-0x5003"}), False)
            assert house.polkit.questions[2].details["disk"] == "a disk that is not here"

    run(test())


def test_the_prompt_for_wiping_names_what_is_removed_from_which_disk(house: House) -> None:
    _two_disks(house)

    async def test() -> None:
        async with house.open(Answer.NO) as client:
            await client.call("CreateArray", "a{sv}a{sv}", a_plan(), WIPING)
            told = house.polkit.questions[0].details["removed"]
            assert told == f"gpt, 1:ext4 from {TOLD.split(', ', maxsplit=1)[0]}"

    run(test())


@pytest.mark.parametrize(
    ("verb", "body", "told"),
    [
        (verbs.SET_WEBHOOK, ["ntfy", "https://ntfy.sh/hidden", "secret"], {"place": "https://ntfy.sh"}),
        (verbs.SET_WEBHOOK, ["json", f"https://{LIE}", "secret"], {"place": "?"}),
        (verbs.SET_WEBHOOK, ["", "", ""], {"place": "nowhere"}),
        (verbs.SEND_TEST_ALERT, [LIE], {"channel": "?"}),
    ],
)
def test_the_prompt_names_the_host_of_a_webhook_and_neither_topic_nor_token(
    house: House, verb: Verb[Any], body: list[Any], told: dict[str, str]
) -> None:
    async def test() -> None:
        async with house.open(Answer.NO) as client:
            await client.ask(verb, *body)
            assert house.polkit.questions[0].details == told

    run(test())


def test_a_plan_is_read_once_for_the_prompt_and_for_the_build(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    _two_disks(house)
    plans: list[Plan] = []

    def counted(data: object) -> Plan:
        plans.append(read_plan(data))
        return plans[-1]

    monkeypatch.setattr("raidwright_helper.verbs.arguments.read_plan", counted)

    async def test() -> None:
        async with house.open() as client:
            await client.call("CreateArray", "a{sv}a{sv}", a_plan(), WIPING)
            assert house.polkit.questions[0].details["disks"] == TOLD

    run(test())
    assert len(plans) == 1


def test_what_can_not_be_read_is_refused_once_polkit_has_answered(house: House) -> None:
    async def test() -> None:
        async with house.open(Answer.NO) as client:
            reply = await client.call("CreateArray", "a{sv}a{sv}", {}, WIPING)
            assert reply.error_name == f"{ERROR}.Denied"
            assert set(house.polkit.questions[0].details.values()) >= {"?"}

    run(test())


PROMPTS: list[tuple[Verb[Any], list[Any], dict[str, str]]] = [
    (verbs.MOUNT, [UUID, LIE, "/srv/tank"], {"place": "/srv/tank"}),
    (verbs.MOUNT, [UUID, "tank", LIE], {"place": "?"}),
    (verbs.MAKE_FILESYSTEM, [UUID, LIE, LIE, {}], {"kind": "?"}),
    (verbs.MAKE_FILESYSTEM, [UUID, LIE, "xfs", {}], {"kind": "xfs"}),
    (
        verbs.TUNE,
        [UUID, LIE, variants({"read_ahead_kib": 4096, "error_recovery_s": 7, "lasting": "always"})],
        {"values": "read ahead kib 4096, error recovery s 7, at each boot"},
    ),
    (verbs.TUNE, [UUID, LIE, variants({"scheduler": LIE})], {"values": "?"}),
    (
        verbs.WRITE_CONFIGURATION,
        [UUID, LIE, variants({"place": "/srv/tank", "mail": "root", "homehost": "any"}), "0" * 64],
        {"values": "how it is assembled, mounted at /srv/tank, home host any, mail to root"},
    ),
    (verbs.PREVIEW_CONFIGURATION, [UUID, LIE, variants({"place": LIE})], {"values": "?"}),
    (verbs.STOP_ARRAY, [UUID, LIE], {}),
]


@pytest.mark.parametrize(("verb", "body", "told"), PROMPTS)
def test_the_prompt_names_the_array_by_its_uuid_and_what_is_to_be_done_by_its_values(
    house: House, verb: Verb[Any], body: list[Any], told: dict[str, str]
) -> None:
    put_array(house.root / "host", "md0", UUID, "t<b>nk")

    async def test() -> None:
        async with house.open(Answer.NO) as client:
            await client.ask(verb, *body)
            # An agent may render the message as HTML, so nothing in it looks like that.
            assert house.polkit.questions[0].details == {"array": f'"t(b)nk" ({UUID})'} | told

    run(test())


def test_a_silent_polkit_is_a_no_and_the_question_is_taken_back(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polkit, "QUIET_SECONDS", 0.2)

    async def test() -> None:
        async with house.open(Answer.SILENCE) as client:
            reply = await client.call("ExamineDisks")
            assert reply.error_name == f"{ERROR}.Denied"
            assert await house.polkit.withdrawn.get() == house.polkit.questions[0].ticket

    run(test())


def test_a_caller_that_leaves_takes_its_prompt_along(house: House) -> None:
    async def test() -> None:
        async with house.open(Answer.SILENCE):
            leaver = await house.client()
            call = asyncio.create_task(leaver.call("ExamineDisks", interactive=True))
            while not house.polkit.questions:
                await asyncio.sleep(0.01)
            call.cancel()
            leaver.bus.disconnect()
            assert await house.polkit.withdrawn.get() == house.polkit.questions[0].ticket

    run(test())


@pytest.mark.parametrize(
    ("member", "signature", "body"),
    [
        ("ExamineDisks", "s", ["more"]),
        ("CreateArray", "a{sv}", [a_plan()]),
        ("CreateArray", "sa{sv}", ["mdadm --create", OPTIONS]),
        ("StopScratch", "ay", [b"x"]),
        ("RunWorkload", "ssas", [f"md:{UUID}", "sequential_read", ["--exec_prerun=x"]]),
        ("Cancel", "s", [f"{JOBS_PATH}/x"]),
    ],
)
def test_other_types_are_no_call(house: House, member: str, signature: str, body: list[Any]) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call(member, signature, *body)
            assert reply.error_name == "org.freedesktop.DBus.Error.InvalidArgs"
            assert not house.polkit.questions

    run(test())


@pytest.mark.parametrize(
    ("path", "interface", "member"),
    [
        ("/", INTERFACE, "ExamineDisks"),
        (JOBS_PATH, INTERFACE, "ExamineDisks"),
        (f"{JOBS_PATH}/x", JOB_INTERFACE, "ExamineDisks"),
        ("/org/raidwright/Helper1", JOB_INTERFACE, "Cancel"),
        ("/org/raidwright/Helper1", INTERFACE, "__class__"),
        ("/org/raidwright/Helper1", "org.freedesktop.DBus.Properties", "GetAll"),
    ],
)
def test_what_is_not_in_the_table_does_not_exist(house: House, path: str, interface: str, member: str) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call(member, path=path, interface=interface)
            assert reply.error_name == "org.freedesktop.DBus.Error.UnknownMethod"
            assert not house.polkit.questions

    run(test())


HOSTILE_NAME = "täнk\x07 --level=0"


@pytest.mark.parametrize(
    ("plan", "options"),
    [
        (a_plan(command="rm"), OPTIONS),
        (a_plan(name="../etc"), OPTIONS),
        (a_plan(name=HOSTILE_NAME), variants({"confirmed_name": HOSTILE_NAME})),
        (a_plan(members=[{"id": "../../dev/sda", "size_bytes": 1}]), OPTIONS),
        (a_plan(members=[{"id": HOSTILE_NAME, "size_bytes": 1}]), OPTIONS),
        (a_plan(level="raid7"), OPTIONS),
        (a_plan(chunk_kib=-4), OPTIONS),
        (a_plan(), {}),
        (a_plan(), variants({"confirmed_name": "tänk"})),
        (a_plan(), OPTIONS | variants({"force": True})),
        (a_plan(), OPTIONS | variants({"scratch": 1})),
        (a_plan(), OPTIONS | variants({"homehost": "--force"})),
        (a_plan(), OPTIONS | variants({"homehost": "<ignore>"})),
        (a_plan(), OPTIONS | variants({"homehost": "nas\nMAILADDR root"})),
        (a_plan(), OPTIONS | variants({"homehost": "n" * 65})),
        ({"level": Variant("(si)", ["raid1", 1])}, OPTIONS),
    ],
)
def test_a_plan_that_is_none_is_refused_by_a_sentence(
    house: House, plan: dict[str, Variant], options: dict[str, Variant]
) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("CreateArray", "a{sv}a{sv}", plan, options)
            assert reply.error_name == f"{ERROR}.BadInput"
            sentence, code, _fields = reply.body
            assert sentence.isprintable()
            assert sentence.isascii()  # dbus-fast 1.84 can't send anything else
            assert code

    run(test())


@pytest.mark.parametrize(
    ("target", "workload", "options"),
    [
        (f"md:{UUID}", "../../bin/sh", {}),
        ("md:; reboot", "sequential_read", {}),
        ("/dev/sda", "sequential_read", {}),
        ("wwn-0x1:/dev/sda/", "sequential_read", {}),
        (f"md:{UUID}", "sequential_read", variants({"seconds": 601})),
        (f"md:{UUID}", "sequential_read", variants({"seconds": 0})),
        (f"md:{UUID}", "sequential_read", variants({"region_mib": "all"})),
        (f"md:{UUID}", "sequential_read", variants({"warm_up_seconds": 61})),
        (f"md:{UUID}", "sequential_read", variants({"warm_up_seconds": -1})),
        (f"md:{UUID}", "buffered_write", variants({"warm_up_seconds": 1})),
        (f"md:{UUID}", "sequential_read", variants({"ioengine": "exec"})),
        (f"md:{UUID}", "own_read_4k_q1 --exec_prerun=id", {}),
        (f"md:{UUID}", "own_read_4k_q257", {}),
        (f"md:{UUID}", "own_randrw_100_4k_q1", {}),
        (f"md:{UUID}", "own_write_4k_q1_buffered", variants({"warm_up_seconds": 1})),
    ],
)
def test_a_workload_that_is_none_is_refused(
    house: House, target: str, workload: str, options: dict[str, Variant]
) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("RunWorkload", "ssa{sv}", target, workload, options)
            assert reply.error_name == f"{ERROR}.BadInput"

    run(test())


def test_disks_that_are_not_there_are_refused(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_check(*_: object) -> None:
        """Replaces asking mdadm for its version."""

    monkeypatch.setattr(create, "verify_plan", no_check)

    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("CreateArray", "a{sv}a{sv}", a_plan(), OPTIONS)
            assert (reply.error_name, reply.body[1]) == (f"{ERROR}.DiskRefused", "disk-missing")
            assert "WD80EFZX ZHZ1" in reply.body[0]
            reply = await client.call("RunWorkload", "ssa{sv}", "wwn-0x5001", "random_write_4k", {})
            assert (reply.error_name, reply.body[1]) == (f"{ERROR}.DiskRefused", "write-to-disk")
            assert house.polkit.questions[-1].action == actions.BENCHMARK_WRITE.id
            reply = await client.call("RunWorkload", "ssa{sv}", "wwn-0x5001", "own_randrw_99_4k_q1", {})
            assert (reply.error_name, reply.body[1]) == (f"{ERROR}.DiskRefused", "write-to-disk")
            assert house.polkit.questions[-1].action == actions.BENCHMARK_WRITE.id

    run(test())


def test_a_real_array_cannot_be_stopped_as_scratch(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            for uuid in (UUID, "../../../etc/passwd"):
                reply = await client.call("StopScratch", "s", uuid)
                assert reply.error_name == f"{ERROR}.BadInput"

    run(test())


def test_a_flood_is_turned_away(house: House) -> None:
    async def test() -> None:
        async with house.open(Answer.SILENCE) as client:
            calls = [asyncio.create_task(client.call("ExamineDisks")) for _ in range(dispatcher.MAX_CALLS_OF_ONE)]
            while len(house.polkit.questions) < len(calls):
                await asyncio.sleep(0.01)
            assert (await client.call("ExamineDisks")).error_name == f"{ERROR}.Busy"
            other = await house.client()
            other_call = asyncio.create_task(other.call("ExamineDisks"))
            while len(house.polkit.questions) <= len(calls):  # others are still answered
                await asyncio.sleep(0.01)
            for call in (*calls, other_call):
                call.cancel()

    run(test())


def test_it_says_what_it_can_do(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            service = await _introspected(client, PATH, INTERFACE)
            assert [(one.name, one.in_signature, one.out_signature) for one in service.methods] == [
                (verb.name, verb.signature, "".join(given.type for given in verb.gives)) for verb in VERBS
            ]
            job = await _introspected(client, f"{JOBS_PATH}/x", JOB_INTERFACE)
            assert [(one.name, one.in_signature) for one in job.methods] == [("Cancel", "")]
            assert [(one.name, one.signature) for one in job.signals] == [
                ("Progress", "sd"), ("Sample", "a{sv}"), ("Ended", "a{sv}"), ("Failed", "ssa{sv}")
            ]  # fmt: skip

    run(test())


async def _introspected(client: Client, path: str, interface: str) -> introspection.Interface:
    reply = await client.call("Introspect", path=path, interface="org.freedesktop.DBus.Introspectable")
    [found] = introspection.Node.parse(reply.body[0]).interfaces
    assert found.name == interface
    return found


def test_it_ends_when_nobody_wants_anything(house: House) -> None:
    house.settings = replace(house.settings, idle_s=0.3)

    async def test() -> None:
        async with house.open() as client:
            async with asyncio.timeout(PATIENCE_S):
                while await is_owned(client.bus, BUS_NAME):
                    await asyncio.sleep(0.05)

    run(test())


class _HangsUp(MessageBus):
    """A connection that breaks as the helper gives its name back."""

    async def release_name(self, name: str) -> ReleaseNameReply:  # type: ignore[override]  # its base's is callbacks'
        self.disconnect()
        raise EOFError(f"the bus hung up on {name}")


def test_a_bus_that_hangs_up_while_it_ends_is_no_complaint(house: House, caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        async with house.open():
            pass
        bus = await _HangsUp(bus_address=house.settings.address).connect()
        await Service(bus, replace(house.settings, idle_s=0.1)).run()

    run(test())
    gc.collect()  # asyncio complains of what nobody has looked at (_asyncio_complains_of_nothing)
    assert "the bus went away: EOFError('the bus hung up on org.raidwright.Helper1')" in caplog.text


def test_strangers_who_come_and_go_do_not_keep_it_from_ending(house: House) -> None:
    house.settings = replace(house.settings, idle_s=0.5)

    async def test() -> None:
        async with house.open() as client:
            async with asyncio.timeout(PATIENCE_S):
                while await is_owned(client.bus, BUS_NAME):
                    stranger = await house.client()
                    stranger.bus.disconnect()
                    await asyncio.sleep(0.05)

    run(test())
