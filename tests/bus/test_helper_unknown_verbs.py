"""Scratch arrays and unknown bytes over the bus: refusals, bytes that may be released, and settings restored."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Variant
from raidwright.core.errors import InputError
from raidwright.core.protocol.names import INTERFACE
from raidwright_helper.acts import baseline, create
from raidwright_helper.host import disk_settings
from raidwright_helper.host.disk_settings import DiskSetting, put_back, settings_now
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.scratch import ScratchArrays
from raidwright_helper.verbs import disk_verbs

from .helper_house import PATIENCE_S, House, a_plan, put_device, put_text, variants
from .test_helper_trials import DISKS, INNER, UUID, note

MEMBER = variants(DISKS[0])
LET_GO, ID = Variant("as", ["unknown"]), str(DISKS[0]["id"])


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


@pytest.mark.parametrize(
    ("member", "signature", "more"),
    [
        ("MakeFileSystem", "sssa{sv}", ["ext4", {}]),
        ("Mount", "sss", ["/srv/keep"]),
        ("PreviewConfiguration", "ssa{sv}", [{}]),
        ("WriteConfiguration", "ssa{sv}s", [{}, "0" * 64]),
        ("Tune", "ssa{sv}", [variants({"read_ahead_kib": 512, "lasting": "always"})]),
        ("StartCheck", "ss", []),
        ("StopArray", "ss", []),
        ("StartArray", "ssa{sv}", [{}]),
        ("ContinueArray", "ssa{sv}", [{}]),
        ("TakeOverArray", "sss", ["mine"]),
        ("DismantleArray", "ssaa{sv}asa{sv}", [[MEMBER], [], {}]),
        ("AddMember", "ssa{sv}as", [MEMBER, []]),
        ("ReplaceMember", "ssa{sv}a{sv}as", [MEMBER, variants(DISKS[1]), []]),
        ("RemoveVanished", "ss", []),
    ],
)
def test_nothing_lasting_is_made_of_a_scratch_array(house: House, member: str, signature: str, more: list[Any]) -> None:
    async def test() -> None:
        async with house.open() as client:
            somebody = await house.client()
            note(house, UUID, somebody.name, list(DISKS[:2]), (INNER,))
            for uuid in (UUID, INNER):
                reply = await client.call(member, signature, uuid, "tank", *more)
                assert reply.error_name == f"{INTERFACE}.Error.BadInput", reply.body
                assert reply.body[1] == "is-scratch"
                assert "scratch array" in reply.body[0]

    run(test())


@pytest.fixture
def confirmed(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Collection[str]]]:
    """Return the signatures released for each disk, when disks are held; nothing else is done."""
    seen: list[Mapping[str, Collection[str]]] = []

    async def hold_disks(_host: object, _claims: object, _members: object, wipe: Any, _until: object) -> tuple[()]:
        seen.append({disk: tuple(names) for disk, names in wipe.items()})
        return ()

    async def nothing(*_: object) -> None: ...

    for module in (disk_verbs, baseline):
        monkeypatch.setattr(module, "hold_disks", hold_disks)
    monkeypatch.setattr(create, "verify_plan", nothing)
    return seen


def test_unknown_bytes_are_let_go_by_name_and_nothing_else_is(
    house: House, confirmed: list[Mapping[str, Collection[str]]]
) -> None:
    async def test() -> None:
        async with house.open() as client:
            named = [variants(DISKS[0]) | {"wipe": LET_GO}, variants(DISKS[1])]
            assert not (await client.call("BeginTrial", "aa{sv}u", named, 30)).error_name
            asked = len(house.polkit.questions)
            scratch = variants({"confirmed_name": "tank", "scratch": True})
            await client.call("CreateArray", "a{sv}a{sv}", a_plan(), scratch)  # confirmed with its trial
            assert len(house.polkit.questions) == asked
            other = {"wipe": Variant("a{sas}", {DISKS[1]["id"]: ["unknown"]})}
            await client.call("CreateArray", "a{sv}a{sv}", a_plan(), scratch | other)  # not confirmed with it
            assert len(house.polkit.questions) == asked + 1
            assert confirmed == [
                {ID: ("unknown",)},
                {ID: ("unknown",)},
                {ID: ("unknown",), DISKS[1]["id"]: ("unknown",)},
            ]
            for names in (["ext4"], ["unknown", "ext4"], ["unknown", "unknown"]):
                bad = Variant("as", names)
                replies = [
                    await client.call("BeginTrial", "aa{sv}u", [variants(DISKS[0]) | {"wipe": bad}], 30),
                    await client.call("TakeBaseline", "a{sv}a{sv}", MEMBER, {"wipe": bad, "write": Variant("b", True)}),
                    await client.call(
                        "CreateArray", "a{sv}a{sv}", a_plan(), scratch | {"wipe": Variant("a{sas}", {ID: names})}
                    ),
                ]
                assert {reply.error_name for reply in replies} == {f"{INTERFACE}.Error.BadInput"}
            assert len(confirmed) == 3

    run(test())


def test_a_scratch_arrays_disks_get_their_settings_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    async def ran(argv: tuple[str, ...], **_: object) -> ProgramResult:
        asked.append(argv)
        told = '{"ata_sct_erc": {"read": {"deciseconds": 100}, "write": {"deciseconds": 100}}}'
        return ProgramResult(argv, 0, told, "")

    monkeypatch.setattr(disk_settings, "run", ran)
    monkeypatch.setattr(disk_settings, "smartctl", lambda *words: ("smartctl", *words))
    settings = {"queue/scheduler": "[bfq] none", "queue/read_ahead_kb": "128", "device/timeout": "30"}
    folder = put_device(tmp_path, "sda", 8, 0, settings)
    put_text(tmp_path / "proc/sys/kernel/random/boot_id", "now\n")
    host, disks = Host(tmp_path), {ID: os.makedev(8, 0)}
    before = asyncio.run(settings_now(host, disks, ("queue/scheduler", "queue/read_ahead_kb"), with_recovery=True))
    assert {(one.attribute, one.value) for one in before} == {
        ("queue/scheduler", "bfq"),
        ("queue/read_ahead_kb", "128"),
        ("device/timeout", "30"),
        ("scterc", "100,100"),
    }
    arrays = ScratchArrays(host, Claims(), tmp_path / "notes")
    arrays.note([UUID], ":1.1", [])
    arrays.keep_settings(UUID, before)
    arrays.keep_settings(UUID, [DiskSetting(ID, "queue/read_ahead_kb", "4096")])  # tuned again: the first value counts
    kept = arrays.find(UUID).settings
    assert set(kept) == set(before)
    for attribute, text in {
        "queue/scheduler": "bfq [none]",
        "queue/read_ahead_kb": "64",
        "device/timeout": "180",
    }.items():
        put_text(folder / attribute, text)
    log: list[str] = []
    asyncio.run(put_back(host, disks, kept, log))
    now = {name: (folder / name).read_text(encoding="ascii") for name in settings}
    assert now == {"queue/scheduler": "bfq", "queue/read_ahead_kb": "128", "device/timeout": "30"}
    assert asked[-1] == ("smartctl", "-l", "scterc,100,100", "/dev/sda")
    asyncio.run(put_back(host, {}, kept, log))  # an unplugged disk


@pytest.mark.parametrize(
    "setting",
    [
        {"disk": ID, "attribute": "../../etc/passwd", "value": "x"},
        {"disk": "../sda", "attribute": "queue/scheduler", "value": "none"},
        {"disk": ID, "attribute": "queue/scheduler", "value": "none\nx"},
        {"disk": ID, "attribute": "queue/scheduler"},
    ],
)
def test_a_record_with_another_setting_is_damaged(setting: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"setting|value"):
        disk_settings.read_settings([setting])
