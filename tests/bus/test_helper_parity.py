"""A member may only be failed if its data can be rebuilt: parity computed, and other members readable."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.protocol.facts import BuildStep, CheckState, ParityState
from raidwright_helper.host import members
from raidwright_helper.host.host import Host
from raidwright_helper.records.build import Build, LogEntry
from raidwright_helper.records.checks import KeptCheck
from raidwright_helper.records.copies import Copies
from raidwright_helper.records.parity import parity_state, verify_parity_is_known

from .test_helper_arrays import MD0, _plan, an_array, held

UUID = "0a1b2c3d:00000001:00000002:00000003"
_DONE = LogEntry(1_800_000_000, BuildStep.DONE, {"uuid": UUID, "uuids": [UUID], "fingerprint": {}})
SKIPPED = Build("0" * 32, "tank", 0, 1_800_000_000, False, (), (_DONE,))
SYNCED = replace(SKIPPED, synchronises=True)
MAKING = replace(SYNCED, notes=(LogEntry(1, BuildStep.CREATE, {"uuids": [UUID]}),))
UNDONE = replace(SKIPPED, notes=(LogEntry(1, BuildStep.DISMANTLE, {"uuids": [UUID]}),))
CLEAN = KeptCheck(UUID, "tank", "boot", 1_800_000_100, CheckState.DONE, 1_800_000_200)
DIRTY = replace(CLEAN, mismatch_sectors=8)
EARLIER = replace(CLEAN, began_s=1_700_000_000)
LATER = replace(CLEAN, began_s=4_000_000_000, ended_s=4_000_000_100)
OTHER = replace(CLEAN, uuid="1" + UUID[1:])


def a_host(root: Path, level: str = "raid5", **attributes: str) -> Host:
    given = {"uuid": UUID.replace(":", ""), "metadata_version": "1.2", "resync_start": "none"}
    slots = {"raid6": 4, "raid1": 2}.get(level, 3)
    return an_array(root, _plan(level, None, slots), ["in_sync"] * slots, **(given | attributes))


def _copies(root: Path) -> Copies:
    return Copies(Host(root), root / "copies")


@pytest.mark.parametrize(
    ("builds", "checks", "expected"),
    [
        ((), (), ParityState.UNTOLD),
        ((SYNCED,), (), ParityState.SOUND),
        ((SKIPPED,), (), ParityState.NEVER),
        ((SKIPPED,), (EARLIER, OTHER), ParityState.NEVER),
        ((SKIPPED,), (replace(CLEAN, state=CheckState.PAUSED),), ParityState.NEVER),
        ((SKIPPED,), (replace(CLEAN, state=CheckState.INTERRUPTED),), ParityState.NEVER),
        ((SKIPPED,), (CLEAN,), ParityState.SOUND),
        ((SKIPPED,), (CLEAN, DIRTY), ParityState.SOUND),  # repaired in between
        ((SYNCED,), (DIRTY, CLEAN), ParityState.DIFFERS),
        ((), (CLEAN,), ParityState.SOUND),
        ((MAKING,), (), ParityState.SOUND),
        ((replace(MAKING, notes=(*MAKING.notes, LogEntry(2, BuildStep.VOLUME, {}))),), (), ParityState.SOUND),
        ((replace(MAKING, synchronises=False),), (), ParityState.NEVER),
        ((replace(MAKING, notes=(*MAKING.notes, LogEntry(2, BuildStep.FAILED, {}))),), (), ParityState.UNTOLD),
        ((UNDONE,), (), ParityState.UNTOLD),  # the record of a dismantled array that came back
        ((UNDONE, SKIPPED), (), ParityState.NEVER),
    ],
)
def test_builds_and_checks_tell_of_parity(
    tmp_path: Path, builds: tuple[Build, ...], checks: tuple[KeptCheck, ...], expected: ParityState
) -> None:
    host, copies = a_host(tmp_path), _copies(tmp_path)
    assert parity_state(host, MD0, builds, checks, copies) is expected
    if expected in (ParityState.NEVER, ParityState.DIFFERS):
        with pytest.raises(DiskRefused, match="check"):
            verify_parity_is_known(host, held(0), builds, checks, copies)
    else:
        verify_parity_is_known(host, held(0), builds, checks, copies)


def test_a_synchronisation_that_is_not_done_is_waited_for(tmp_path: Path) -> None:
    host = a_host(tmp_path, "raid6", resync_start="4096", sync_action="resync")
    assert parity_state(host, MD0, (SYNCED,), (), _copies(tmp_path)) is ParityState.COMPUTING
    with pytest.raises(DiskRefused, match="might not start after a reboot"):
        verify_parity_is_known(host, held(0), (SYNCED,), (), _copies(tmp_path))


def test_levels_without_parity_need_none(tmp_path: Path) -> None:
    host = a_host(tmp_path, "raid1")
    assert parity_state(host, MD0, (SKIPPED,), (), _copies(tmp_path)) is None
    verify_parity_is_known(host, held(0), (SKIPPED,), (), _copies(tmp_path))


@pytest.mark.parametrize(
    ("level", "policy", "restarts", "checks", "expected"),
    [
        ("raid5", "bitmap", True, (), ParityState.COPY_CUT_OFF),
        ("raid5", "bitmap", True, (EARLIER,), ParityState.COPY_CUT_OFF),  # of before the copy
        ("raid5", "bitmap", True, (LATER,), ParityState.SOUND),
        ("raid5", "bitmap", True, (replace(LATER, mismatch_sectors=8),), ParityState.DIFFERS),
        ("raid5", "bitmap", False, (), ParityState.SOUND),
        ("raid5", "resync", True, (), ParityState.SOUND),  # without a bitmap the resync computes all of it
        ("raid6", "bitmap", True, (), ParityState.SOUND),
    ],
)
def test_after_a_copy_that_was_cut_off_parity_is_told_by_a_check(
    tmp_path: Path,
    level: str,
    policy: str,
    restarts: bool,
    checks: tuple[KeptCheck, ...],
    expected: ParityState,
) -> None:
    host, copies = a_host(tmp_path, level, consistency_policy=policy), _copies(tmp_path)
    boot = tmp_path / "proc/sys/kernel/random/boot_id"
    boot.parent.mkdir(parents=True, exist_ok=True)
    boot.write_text("one", encoding="ascii")
    copies.note(UUID)
    if restarts:
        boot.write_text("two", encoding="ascii")
    host, copies = Host(host.root), _copies(tmp_path)
    assert parity_state(host, MD0, (SYNCED,), checks, copies) is expected
    if expected is ParityState.COPY_CUT_OFF:
        with pytest.raises(DiskRefused, match="Have the array checked first"):
            verify_parity_is_known(host, held(0), (SYNCED,), checks, copies)


@pytest.mark.parametrize("file", ["bad_blocks", "unacknowledged_bad_blocks"])
def test_a_member_stays_where_others_have_places_that_can_not_be_read(tmp_path: Path, file: str) -> None:
    host = a_host(tmp_path)
    bad = host.root / f"sys/devices/md0/md/dev-sd1/{file}"
    bad.write_text("100000 64\n200000 8\n", encoding="ascii")
    assert members.bad_sectors(host, MD0, "sd1") == 72
    with pytest.raises(DiskRefused, match=r"sd1 can't be read .* Replace WD80EFZX ZHZ1") as caught:
        asyncio.run(members.verify_may_fail(host, held(0)))
    assert caught.value.code == "disk-bad-blocks"
    asyncio.run(members.verify_may_fail(host, held(1)))  # what it can't read comes from the others


def test_one_that_is_not_needed_for_them_may_fail(tmp_path: Path) -> None:
    host = a_host(tmp_path, "raid6")
    (host.root / "sys/devices/md0/md/dev-sd1/bad_blocks").write_text("8 8\n", encoding="ascii")
    asyncio.run(members.verify_may_fail(host, held(0)))  # raid6 survives without both
    (host.root / "sys/devices/md0/md/dev-sd2/bad_blocks").write_text("16 8\n", encoding="ascii")
    with pytest.raises(DiskRefused, match="sd1 and sd2"):
        asyncio.run(members.verify_may_fail(host, held(0)))
