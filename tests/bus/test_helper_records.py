"""The helper's records: old or new after a power cut, and a damaged one affects nothing else."""

from __future__ import annotations

import asyncio
import copy
import errno
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType, unpack_variants
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.protocol import codec, facts
from raidwright.core.protocol.facts import BuildRecord, BuildState, BuildStep
from raidwright_helper.acts.untouched import closed_by
from raidwright_helper.host import system_files
from raidwright_helper.host.etc_files import Below
from raidwright_helper.host.host import Host
from raidwright_helper.jobs.bus_values import told
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.alerts import AlertRecords
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.changes import Changes
from raidwright_helper.records.checks import Checks
from raidwright_helper.records.ends import HiddenEnds
from raidwright_helper.records.occupants import Occupants
from raidwright_helper.records.scratch import ScratchArrays
from raidwright_helper.records.store import Store
from raidwright_helper.service.service import ServiceSettings

from .helper_house import PATIENCE_S, House
from .kept_records import BROKEN, BUILD, CHANGE, OTHER_BUILD, OTHER_CHANGE, OTHER_UUID, RULES, UUID, Kept, kept

READ_BY_VERBS = ("scratch", "build", "checks", "change")
KINDS = (*READ_BY_VERBS, "members", "alert", "end")  # members and alerts by mdadm's monitor


@pytest.fixture(autouse=True)
def _journal(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "raidwright-helper")


@pytest.fixture
def state(tmp_path: Path) -> ServiceSettings:
    """The path of each kind, on an empty host."""
    return _state(tmp_path)


def _state(root: Path) -> ServiceSettings:
    (root / "host").mkdir()
    folders = (root / "notes", root / "backups", root / "checks", root / "changes")
    return ServiceSettings(
        None,
        Host(root / "host"),
        *folders,
        members=root / "members",
        rescue=root / "rescue",
        alerts=root / "alerts",
        ends=root / "ends",
    )


def _told(caplog: pytest.LogCaptureFixture, path: Path) -> list[str]:
    """Return the journal's lines on the file at ``path``."""
    return [line.getMessage() for line in caplog.records if f"'{path}'" in line.getMessage()]


def _stores(state: ServiceSettings) -> dict[str, Store[Any]]:
    root = state.host.root
    return {
        "scratch": ScratchArrays(state.host, Claims(), state.notes)._store,
        "build": Builds(state.backups)._store,
        "checks": Checks(state.host, state.checks)._store,
        "change": Changes(state.changes, root, Below(root))._store,
        "members": Occupants(state.host, state.members)._store,
        "alert": AlertRecords(state.alerts)._waiting,
        "end": HiddenEnds(state.host, state.ends)._store,
    }


def _damage(one: Kept, how: Callable[[Kept], object]) -> None:
    one.put()
    how(one)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", BROKEN)
def test_a_damaged_record_is_set_aside_and_told_and_the_others_are_there(
    state: ServiceSettings, caplog: pytest.LogCaptureFixture, how: str, kind: str
) -> None:
    sound, broken = kept(state)[kind], kept(state, other=True)[kind]
    sound.put()
    _damage(broken, BROKEN[how])
    for _ in range(2):
        [found] = _stores(state)[kind].all()
        assert _stores(state)[kind]._name(found) == str(sound.path.relative_to(_stores(state)[kind]._folder))
    [line] = _told(caplog, broken.path)
    aside = f"{broken.path.name}.damaged-1"
    assert f"is kept as {aside}, which is never read" in line
    assert "\n" not in line
    assert not os.path.lexists(broken.path)
    assert os.path.lexists(broken.path.with_name(aside))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_somebody_elses_is_not_read(
    state: ServiceSettings, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    one = kept(state)[kind]
    _damage(one, lambda one: os.chown(one.path, 1234, 1234))
    assert not list(_stores(state)[kind].all())
    assert "others than root may write to it, or own it" in _told(caplog, one.path)[0]
    os.chown(one.path.parent, 1234, 1234)
    one.put()
    assert not list(_stores(state)[kind].all())
    assert "and is passed over" in _told(caplog, one.path)[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_torn_at_any_byte_is_set_aside(state: ServiceSettings, kind: str) -> None:
    one, store = kept(state)[kind], _stores(state)[kind]
    text = json.dumps(one.data).encode()
    one.put()
    assert len(list(store.all())) == 1
    for cut in range(len(text)):
        with pytest.raises(InputError):
            store._parsed(one.path, text[:cut].decode())


@pytest.mark.parametrize(
    ("kind", "place", "value"),
    [
        ("scratch", ("owner",), "nobody"),  # a question about it would end the bus's patience
        ("scratch", ("owner",), ":1"),
        ("scratch", ("members", 0, "id"), "../sda"),
        ("scratch", ("members",), None),
        ("scratch", ("inner",), "none"),
        ("scratch", ("inner", 0), "../../md0"),
        ("scratch", ("boot_id",), 1),
        ("build", ("uid",), -1),
        ("build", ("began_s",), 2**63),
        ("build", ("synchronises",), 1),
        ("build", ("members", 0, "saved", "file"), "../../../etc/shadow"),
        ("build", ("members", 0, "saved", "sha256"), "0"),
        ("build", ("members", 0, "saved", "extents", 0, "offset_bytes"), -4096),
        ("build", ("notes", 2, "step"), "ready"),
        ("build", ("notes", 2, "fields", "uuid"), "../../sda"),
        ("build", ("notes", 2, "fields", "fingerprint"), {"/0 head": 1}),
        ("build", ("notes", 2, "fields"), {}),
        ("build", ("notes", 3, "fields", "left_as"), []),
        ("build", ("notes", 4, "fields", "more"), 1),
        ("checks", ("checks",), []),
        ("checks", ("checks", 0, "uuid"), OTHER_UUID),
        ("checks", ("checks", 0, "state"), "ready"),
        ("checks", ("checks", 0, "ended_s"), 1.5),
        ("members", ("uuid",), OTHER_UUID),
        ("members", ("uuid",), "../../../etc/passwd"),
        ("members", ("occupants", 0, "slot"), -1),
        ("members", ("occupants", 0, "serial"), 1),
        ("members", ("occupants",), [{}]),
        ("change", ("standing",), "ready"),
        ("change", ("edits",), []),
        ("change", ("edits", 0, "mode"), 2**40),
        ("change", ("edits", 0, "path"), "fstab"),
    ],
)
def test_each_value_has_its_limits(
    state: ServiceSettings, kind: str, place: tuple[str | int, ...], value: object
) -> None:
    one = kept(state)[kind]
    inner: Any = one.data
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    one.put()
    assert not list(_stores(state)[kind].all())
    assert not one.path.exists()


@pytest.mark.parametrize("kind", ["build", "checks"])
def test_a_record_of_now_is_not_taken_for_one_of_the_version_before(state: ServiceSettings, kind: str) -> None:
    one = kept(state)[kind]
    del one.data["version"]
    one.put()
    assert not list(_stores(state)[kind].all())
    assert not one.path.exists()


def test_a_builds_folder_that_is_a_link_is_passed_over(
    state: ServiceSettings, caplog: pytest.LogCaptureFixture
) -> None:
    one = kept(state)["build"]
    one.put()
    one.path.parent.rename(state.backups / "elsewhere")
    one.path.parent.symlink_to("elsewhere")
    assert [path.name for path in state.backups.iterdir() if path.is_symlink()] == [BUILD]
    assert Builds(state.backups).all() == ()
    assert "and is passed over" in _told(caplog, one.path)[0]


_ANY = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from([2**63 - 1, 2**32, 2**70]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=4,
)


@hypothesis_settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_stands_in_a_record_breaks_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """It is valid, with all fields sent over the bus, or it is renamed aside."""
    state = _state(tmp_path_factory.mktemp("state"))
    kind = data.draw(st.sampled_from(KINDS))
    one = kept(state)[kind]
    one.put()
    values = copy.deepcopy(one.data)
    place: Any = values
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], (dict, list)) and place[key] and data.draw(st.booleans()):
            place = place[key]
            continue
        if data.draw(st.booleans()) or isinstance(place, list):
            place[key] = data.draw(_ANY)
        elif data.draw(st.booleans()):
            place[data.draw(st.text(max_size=8))] = data.draw(_ANY)
        else:
            del place[key]
        break
    one.path.write_text(json.dumps(values), encoding="utf-8")
    builds, checks = Builds(state.backups), Checks(state.host, state.checks)
    answer: list[object] = [
        codec.read(BuildRecord, {**build.summary(BuildState.DONE), "closed_by": closed_by(state.host, build)})
        for build in builds.all()
    ]
    answer += [codec.read(facts.Check, asdict(check)) for check in checks.all()]
    builds.forget_old(1_800_000_000)
    asyncio.run(checks.reconcile())
    Message(
        message_type=MessageType.METHOD_RETURN,
        reply_serial=1,
        signature="aa{sv}",
        body=[told(answer)],
    )._marshall(negotiate_unix_fd=False)
    assert os.path.lexists(one.path) != os.path.lexists(one.path.with_name(f"{one.path.name}.damaged-1"))
    assert len(list(_stores(state)[kind].all())) == os.path.lexists(one.path)


def run(house: House, test: Callable[[Callable[..., Any]], Any]) -> None:
    """Start the helper and let ``test`` call its verbs."""

    async def asking() -> None:
        async with house.open() as client:

            async def ask(verb: str, signature: str = "", *body: object) -> Message:
                return await client.call(verb, signature, *body)

            await test(ask)

    asyncio.run(asyncio.wait_for(asking(), 2 * PATIENCE_S))


@pytest.mark.parametrize("how", BROKEN)
def test_the_helper_starts_and_answers_beside_damaged_records_of_every_kind(
    house: House, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    for kind in READ_BY_VERBS:
        kept(house.settings)[kind].put()
        _damage(kept(house.settings, other=True)[kind], BROKEN[how])
    saved = house.settings.backups / OTHER_BUILD / "disk-0.bin"
    saved.write_bytes(b"somebody's")
    rules = house.root / "host" / RULES.lstrip("/")
    rules.parent.mkdir(parents=True)
    rules.write_text("new\n", encoding="utf-8")

    async def test(ask: Callable[..., Any]) -> None:
        [builds] = unpack_variants((await ask("ListBuilds")).body)
        assert [build["id"] for build in builds] == [BUILD]
        [checks] = unpack_variants((await ask("ListChecks")).body)
        assert {check["uuid"] for check in checks} == {UUID}
        for verb in ("Undo", "ForgetBuild"):
            reply = await ask(verb, "s", OTHER_BUILD)
            assert reply.body[1] == "record-damaged"
            assert f"is kept in {house.settings.backups / OTHER_BUILD}" in reply.body[0]
        assert (await ask("StopScratch", "s", OTHER_UUID)).body[1] == "record-damaged"
        assert (await ask("StopArray", "ss", UUID, "x")).body[1] == "is-scratch"
        assert (await ask("StopArray", "ss", OTHER_UUID, "x")).body[1] == "disk-missing"
        assert (await ask("RestoreConfiguration")).message_type is MessageType.METHOD_RETURN
        async with asyncio.timeout(PATIENCE_S):
            while rules.exists():
                await asyncio.sleep(0.02)

    run(house, test)
    for kind in READ_BY_VERBS:
        one = kept(house.settings, other=True)[kind]
        [line] = _told(caplog, one.path)
        assert f"{one.path.name}.damaged-1" in line
    assert saved.read_bytes() == b"somebody's"
    assert OTHER_UUID in _told(caplog, kept(house.settings, other=True)["scratch"].path)[0]


def test_a_lost_note_says_which_array_it_was_of_and_where_it_runs(
    state: ServiceSettings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Host, "number_of", lambda _host, path: 9 if path.endswith(UUID) else None)
    monkeypatch.setattr(Host, "kernel_name", lambda *_: "md127")
    scratch = ScratchArrays(state.host, Claims(), state.notes)
    notes = [kept(state)["scratch"], kept(state, other=True)["scratch"], Kept(state.notes / "mine.json", {})]
    for note in notes:
        _damage(note, BROKEN["empty"])
    assert not list(scratch.all())
    running, stopped, unknown = (_told(caplog, note.path)[0] for note in notes)
    assert f"{UUID} runs as md127; nobody takes it away by itself any more" in running
    assert f"{OTHER_UUID} is not running now" in stopped
    assert "Whichever scratch array it was of" in unknown
    with pytest.raises(InputError, match="take it apart as any other array"):
        scratch.find(UUID)


def test_what_a_damaged_build_has_saved_is_never_cleared_away(state: ServiceSettings) -> None:
    one = kept(state, other=True)["build"]
    for how in BROKEN.values():
        _damage(one, how)
        (one.path.parent / "disk-0.bin").write_bytes(b"x")
        for _ in range(2):
            builds = Builds(state.backups)
            builds.forget_unbegun()
            builds.forget_old(1_900_000_000)
            assert (one.path.parent / "disk-0.bin").exists()


def test_after_the_last_sound_change_nothing_is_put_back_in_silence(state: ServiceSettings) -> None:
    changes = Changes(state.changes, state.host.root, Below(state.host.root))
    with pytest.raises(InputError, match="has changed no file"):
        changes.last()
    kept(state)["change"].put()
    _damage(kept(state, other=True)["change"], BROKEN["torn"])
    assert changes.last().id == CHANGE
    BROKEN["empty"](kept(state)["change"])
    with pytest.raises(InputError, match="journal names the damaged ones"):
        changes.last()
    assert OTHER_CHANGE in " ".join(path.name for path in state.changes.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_what_can_not_be_set_aside_is_left_and_told_once(
    state: ServiceSettings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def read_only(*_: object, **_how: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    one, store = kept(state, other=True)[kind], _stores(state)[kind]
    kept(state)[kind].put()
    _damage(one, BROKEN["empty"])
    monkeypatch.setattr(os, "rename", read_only)
    for _ in range(3):
        assert len(list(store.all())) == 1
    [line] = _told(caplog, one.path)
    assert "can't be set aside (Read-only file system)" in line
    assert store.has_damaged(str(one.path.relative_to(store._folder)))


@pytest.mark.parametrize("kind", KINDS)
def test_what_can_not_be_read_just_now_stays(
    state: ServiceSettings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    one, store = kept(state)[kind], _stores(state)[kind]
    one.put()

    def crowded(*_: object, **_how: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patched:
        patched.setattr(system_files, "read_within", crowded)
        assert not list(store.all())
    assert "Too many open files" in _told(caplog, one.path)[0]
    assert len(list(store.all())) == 1


class PowerCut(BaseException):
    """A power cut: nothing after it is executed."""


def _cut_at(call: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    calls: Iterator[int] = iter(range(call))

    def count(real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **how: Any) -> Any:
            if next(calls, None) is None:
                raise PowerCut
            return real(*given, **how)

        return counted

    return count


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", range(7))
@pytest.mark.parametrize("left", [0, 40, None])
def test_a_power_cut_while_writing_leaves_the_old_record_or_the_new_one(
    state: ServiceSettings,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    call: int,
    left: int,
) -> None:
    """``call``: the number of counted calls done; ``left``: the bytes of the new file that reached the disk."""
    one, store = kept(state)[kind], _stores(state)[kind]
    one.put()
    [old] = store.all()
    new = _next(old)
    new_path = one.path.with_name(f".{one.path.name}.raidwright-new")
    counted, is_cut = _cut_at(call), False
    with monkeypatch.context() as patched:
        for name in ("open", "fchmod", "fsync", "rename"):
            patched.setattr(os, name, counted(getattr(os, name)))
        try:
            store.write(new)
        except PowerCut:
            is_cut = True
    assert is_cut == (call < 6)
    if new_path.exists() and left is not None:
        os.truncate(new_path, left)
    [found] = _stores(state)[kind].all()
    assert found == (old if call < 5 else new)
    assert not caplog.records
    _stores(state)[kind].write(new)
    assert list(_stores(state)[kind].all()) == [new]
    assert not new_path.exists()


def _next(record: Any) -> Any:
    changes: dict[str, Callable[[], dict[str, Any]]] = {
        "Scratch": lambda: {"owner": ":1.10"},
        "_Kept": lambda: {"checks": record.checks[:1]},
        "_Noted": lambda: {"occupants": (replace(record.occupants[0], serial="ZHZ2"),)},
        "Build": lambda: {"notes": record.notes[:2]},
        "WaitingAlert": lambda: {"alert": replace(record.alert, text="a disk is missing")},
        "HiddenEnd": lambda: {"hidden": "2000"},
    }
    return replace(record, **changes.get(record.__class__.__name__, lambda: {"array": "pool"})())


def test_nothing_is_written_that_would_not_be_read_again(state: ServiceSettings) -> None:
    store = _stores(state)["build"]
    kept(state)["build"].put()
    [build] = store.all()
    with pytest.raises(JobFailed, match="could not be read again"):
        store.write(replace(build, id="none"))
    with pytest.raises(JobFailed, match="could not be read again"):
        Builds(state.backups).note(BUILD, BuildStep.DONE, uuid=UUID)
    assert list(store.all()) == [build]


# To the byte what Raidwright wrote before records had a version.
_OLD_MEMBER = (
    '{"id": "wwn-0x5001", "size_bytes": 8388608, "model": "WD80EFZX", "serial": "ZHZ1", "disk": null, '
    '"partition": null, "baseline": null, "afr": null, "age_years": null}'
)
OLD = {
    "scratch": (
        f'{{"uuid": "{UUID}", "owner": ":1.7", "members": [{{"id": "wwn-0x5001", "size_bytes": 8388608, '
        '"model": "WD80EFZX", "serial": "ZHZ1", "disk": null, "partition": null, "afr": null, "age_years": null}]}'
    ),
    "build": (
        f'{{"id": "{BUILD}", "name": "tank", "uid": 1000, "began_s": 1795318518, "synchronises": true, "members": '
        f'[{{"member": {_OLD_MEMBER}, "names": ["ext4"], "saved": {{"file": "disk-0.bin", "extents": [{{'
        '"offset_bytes": 0, "length_bytes": 2097152}, {"offset_bytes": 6291456, "length_bytes": 2097152}], "sha256": '
        '"baa7a6d36ffa957552df230235c2d51d735f28d49c58a5f3438a3a973a25a37d"}}], "notes": []}'
    ),
    "checks": (
        f'[{{"uuid": "{UUID}", "name": "tank", "boot_id": "boot", "began_s": 1790000000, "state": "running", '
        f'"ended_s": null, "mismatch_sectors": 0, "earlier_sectors": 0}}, {{"uuid": "{UUID}", "name": "tank", '
        '"boot_id": "boot", "began_s": 1790000100, "state": "done", "ended_s": 1790000200, "mismatch_sectors": 8, '
        '"earlier_sectors": 0}]'
    ),
    "change": (
        f'{{"id": "{CHANGE}", "uid": 1000, "array": "tank", "began_s": 1795318518, "edits": [{{"path": "/etc/fstab", '
        '"before": "old\\n", "after": "old\\nnew \\udcff\\n", "mode": 420}], "standing": "done"}'
    ),
}
OLD_LOG = (
    '{"at_s": 1795318518, "step": "wipe", "fields": {"disk": "wwn-0x5001", "signatures": ["ext4"]}}\n'
    f'{{"at_s": 1795318518, "step": "create", "fields": {{"uuids": ["{UUID}"]}}}}\n'
    f'{{"at_s": 1795318518, "step": "done", "fields": {{"uuid": "{UUID}", "uuids": ["{UUID}"], '
    f'"fingerprint": {{"/0 head": "{"0" * 64}"}}}}}}\n'
)


def _put_old(state: ServiceSettings) -> Path:
    for kind, text in OLD.items():
        one = kept(state)[kind]
        one.put()
        one.path.write_text(text, encoding="utf-8")
    log = state.backups / BUILD / "log"
    log.write_text(OLD_LOG, encoding="utf-8")
    return log


def test_records_of_the_version_before_are_read_and_go_on(
    state: ServiceSettings, caplog: pytest.LogCaptureFixture
) -> None:
    _put_old(state)
    [scratch] = ScratchArrays(state.host, Claims(), state.notes).all()
    assert (scratch.uuid, scratch.owner, scratch.members[0].serial) == (UUID, ":1.7", "ZHZ1")
    builds = Builds(state.backups)
    [build] = builds.all()
    assert (builds.state_of(build), build.own_uuids, build.has_way_back) == (BuildState.DONE, frozenset({UUID}), True)
    assert build.members[0].saved.extents[1].offset_bytes == 6291456
    builds.note(BUILD, BuildStep.UNDO)
    assert [note.step for note in Builds(state.backups).find(BUILD).notes] == [*["wipe", "create", "done", "undo"]]
    checks = Checks(state.host, state.checks)
    assert [check.mismatch_sectors for check in checks.all()] == [8, 0]
    asyncio.run(checks.reconcile())
    assert [check.state for check in Checks(state.host, state.checks).all()] == ["done", "interrupted"]
    change = Changes(state.changes, state.host.root, Below(state.host.root)).last()
    assert (change.edits[0].after, change.edits[0].mode) == ("old\nnew \udcff\n", 0o644)
    assert not caplog.records


def test_a_line_of_an_old_log_that_was_cut_off_counts_as_never_written(state: ServiceSettings) -> None:
    log = _put_old(state)
    log.write_text(f'{OLD_LOG.splitlines()[0]}\n{{"at_s": 1, "step": "do', encoding="utf-8")
    assert [note.step for note in Builds(state.backups).find(BUILD).notes] == [BuildStep.WIPE]
    log.unlink()
    assert Builds(state.backups).find(BUILD).notes == ()


@pytest.mark.parametrize("line", ["", "{", '{"at_s": 1, "step": "undone"}', '{"at_s": 1, "step": "x", "fields": {}}'])
def test_an_old_build_whose_log_is_damaged_is_damaged(
    state: ServiceSettings, caplog: pytest.LogCaptureFixture, line: str
) -> None:
    log = _put_old(state)
    log.write_text(f"{line}\n{OLD_LOG}", encoding="utf-8")
    assert not Builds(state.backups).all()
    assert _told(caplog, log.with_name("build.json"))
