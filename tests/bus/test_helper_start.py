"""Starting a stopped array: its members, and reasons for refusal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.md.mdadm_versions import MDADM_4_4, MDADM_4_6, MdadmVersion
from raidwright.core.md.member_superblock import HAS_JOURNAL, MOVES_DATA, RECOVERING, RESHAPES, MemberSuperblock
from raidwright.core.protocol.errors import Busy
from raidwright_helper.acts import start
from raidwright_helper.host import md
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.jobs.claims import Claims

from .helper_house import put_array, put_device, put_disk, put_text

UUID = "0a1b2c3d:00000001:00000002:00000003"
GB = 10**9
SUPERBLOCK = MemberSuperblock(UUID, "1.2", "raid5", 3, 7, 0, name="tank", working=(0, 1, 2))
SDA, SDB, SDC = 0x800, 0x810, 0x820


class Machine:
    """A host below ``root`` with the members of tank on sda, sdb and sdc; ``ran`` are the commands run."""

    def __init__(self, root: Path) -> None:
        self.host = Host(root)
        self.claims = Claims()
        self.superblocks = {number: replace(SUPERBLOCK, slot=slot) for slot, number in enumerate((SDA, SDB, SDC))}
        self.mdadm = MDADM_4_4
        self.ran: list[Sequence[str]] = []
        self.starts, self.why_not = True, "mdadm: no\n"
        for slot, letter in enumerate("abc"):
            put_disk(root, f"sd{letter}", f"wwn-0x500{slot}", "WD80EFZX", f"ZHZ{slot}", 8 * GB)
            record = root / f"run/udev/data/b8:{16 * slot}"
            put_text(record, f"{record.read_text()}E:ID_FS_TYPE=linux_raid_member\nE:ID_FS_UUID={UUID}\n")

    async def run(self, argv: Sequence[str], **_: object) -> ProgramResult:
        self.ran.append(argv)
        if "--assemble" in argv and self.starts:
            put_array(self.host.root, "md3", UUID, "tank")
        return ProgramResult(tuple(argv), 0 if self.starts else 1, "", self.why_not)

    def prepare(self, name: str = "tank", uuid: str = UUID, **options: Any) -> start.Startable:
        asked: dict[str, Any] = {"read_only": False, "missing": False} | options
        with contextlib.ExitStack() as until:
            return asyncio.run(start.prepare(self.host, self.claims, (uuid, name), until, **asked))

    def refused(self, **asked: Any) -> RaidwrightError:
        with pytest.raises(RaidwrightError) as refused:
            self.prepare(**asked)
        assert not self.ran
        return refused.value


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)

    @contextlib.contextmanager
    def pinned(host: Host, path: str, *, who: str) -> Iterator[Pinned]:
        number = SDA + 16 * (ord(path[-1]) - ord("a"))
        yield Pinned(number, host.node(number), number)

    async def nothing(*_: object) -> None: ...

    async def mdadm_version() -> MdadmVersion:
        return found.mdadm

    async def read_array(host: Host, number: int) -> md.RunningArray:
        return md.RunningArray(number, host.node(number), UUID, 0, 0, "tank")

    monkeypatch.setattr(start, "pinned", pinned)
    monkeypatch.setattr(start, "lock_out_udev", nothing)
    monkeypatch.setattr(start, "read_superblock", lambda device, _size: found.superblocks.get(device))
    monkeypatch.setattr(start, "Exclusive", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(start, "run", found.run)
    monkeypatch.setattr(md, "settle", nothing)
    monkeypatch.setattr(md, "mdadm_version", mdadm_version)
    monkeypatch.setattr(md, "read_array", read_array)
    return found


def _started(machine: Machine, *, read_only: bool = False, missing: bool = False) -> Sequence[str]:
    held = machine.prepare(read_only=read_only, missing=missing)
    asyncio.run(start.start(machine.host, held, []))
    return machine.ran[-1]


def test_exactly_the_members_that_were_read_are_assembled(machine: Machine) -> None:
    argv = _started(machine)
    assert list(argv) == [md.MDADM, "--assemble", f"--uuid={UUID}", "/dev/md/tank", "/dev/sda", "/dev/sdb", "/dev/sdc"]


def test_it_is_only_read_where_that_is_meant(machine: Machine) -> None:
    assert "--readonly" in _started(machine, read_only=True)


def test_a_raid10_cut_off_in_a_reshape_is_not_started_only_to_be_read(machine: Machine) -> None:
    """md would look for what was moved at its old place."""
    for number, one in machine.superblocks.items():
        machine.superblocks[number] = replace(one, level="raid10", layout=0x102, feature_map=RESHAPES | MOVES_DATA)
    assert machine.refused(read_only=True).code == "array-misread"
    assert list(_started(machine)) == [md.MDADM, "--readwrite", "/dev/md3"]


def test_a_reshape_that_mdadm_goes_on_with_is_not_started_only_to_be_read(machine: Machine) -> None:
    for number, one in machine.superblocks.items():
        machine.superblocks[number] = replace(one, feature_map=RESHAPES)
    assert machine.refused(read_only=True).code == "array-goes-on"
    machine.prepare()
    for number, one in machine.superblocks.items():
        machine.superblocks[number] = replace(one, feature_map=RESHAPES | MOVES_DATA)
    assert machine.refused(read_only=True).code == "array-reshape-waits"  # not all of it could be read
    assert "--readonly" not in _started(machine)


def test_without_a_member_it_is_run_only_with_a_persons_word(machine: Machine) -> None:
    del machine.superblocks[SDC]
    assert machine.refused().code == "array-lacks"
    argv = _started(machine, missing=True)
    assert "--run" in argv
    assert "--force" not in argv
    assert tuple(argv[-2:]) == ("/dev/sda", "/dev/sdb")


def test_of_parted_members_one_half_is_started_by_choice(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Host, "number_of", lambda _host, path: SDA + 16 * int(path[-1]) if "wwn-" in path else None)
    halves = {SDA: (0, 1), SDA + 16: (0, 1), SDC: (2, 3), SDC + 16: (2, 3)}
    put_disk(machine.host.root, "sdd", "wwn-0x5003", "WD80EFZX", "ZHZ3", 8 * GB)
    record = machine.host.root / "run/udev/data/b8:48"
    put_text(record, f"{record.read_text()}E:ID_FS_TYPE=linux_raid_member\nE:ID_FS_UUID={UUID}\n")
    for place, (number, working) in enumerate(halves.items()):
        roles = tuple(slot if slot in working else -1 for slot in range(4))
        machine.superblocks[number] = MemberSuperblock(
            UUID, "1.2", "raid6", 4, 8, 1000 + place // 2, name="tank", slot=place, working=working, number=place,
            roles=roles,
        )  # fmt: skip
    refused = machine.refused()
    assert refused.code == "array-parted"
    assert "sda ZHZ0 and sdb ZHZ1 (written to until" in refused.sentence
    assert "sdc ZHZ2 and sdd ZHZ3 (written to until" in refused.sentence
    held = machine.prepare(of_disk="wwn-0x5002", read_only=True)
    assert sorted(device.node for device in held.devices) == ["/dev/sdc", "/dev/sdd"]
    held = machine.prepare(of_disk="wwn-0x5001")
    assert sorted(device.node for device in held.devices) == ["/dev/sda", "/dev/sdb"]
    assert machine.refused(of_disk="wwn-0x5077").code == "array-no-half"


def test_what_it_lacked_before_needs_no_word(machine: Machine) -> None:
    machine.superblocks = {
        number: replace(one, working=(0, 1)) for number, one in machine.superblocks.items() if number != SDC
    }
    assert "--run" not in _started(machine)


def test_who_was_being_rebuilt_is_in_it_again(machine: Machine) -> None:
    machine.superblocks[SDC] = replace(machine.superblocks[SDC], feature_map=RECOVERING, events=3)
    assert machine.refused().code == "array-lacks"  # it was taken out meanwhile
    machine.superblocks[SDC] = replace(machine.superblocks[SDC], events=7)
    argv = _started(machine)
    assert "--run" not in argv
    assert tuple(argv[-3:]) == ("/dev/sda", "/dev/sdb", "/dev/sdc")


def test_who_fell_behind_is_left_out(machine: Machine) -> None:
    for number in (SDA, SDB):
        machine.superblocks[number] = replace(machine.superblocks[number], events=40, working=(0, 1))
    assert tuple(_started(machine)[-2:]) == ("/dev/sda", "/dev/sdb")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({SDB: None, SDC: None}, "Too few of its members are here (1 of 3)"),
        ({SDA: {"events": 90}, SDB: {"events": 50}}, "fell behind"),
        ({SDC: None, SDA: {"is_clean": False, "events": 8}}, "only by force"),
        ({number: {"level": "-4"} for number in (SDA, SDB, SDC)}, "level isn't known"),
    ],
)
def test_what_would_need_force_is_refused(
    machine: Machine, changes: dict[int, dict[str, object] | None], words: str
) -> None:
    for number, change in changes.items():
        if change is None:
            del machine.superblocks[number]
        else:
            machine.superblocks[number] = replace(machine.superblocks[number], **change)  # type: ignore[arg-type]
    for missing in (False, True):
        assert words in machine.refused(missing=missing).sentence


def test_copies_of_a_member_are_refused(machine: Machine) -> None:
    machine.superblocks[SDB] = machine.superblocks[SDA]
    refused = machine.refused(missing=True)
    assert refused.code == "array-twice"
    assert "slot 0" in refused.sentence


def test_the_name_and_the_uuid_must_belong_together(machine: Machine) -> None:
    assert machine.refused(name="tnak").code == "name-mismatch"
    assert machine.refused(uuid=UUID.replace("3", "4")).code == "disk-missing"
    assert isinstance(machine.refused(uuid="tank"), InputError)


def test_one_that_runs_is_not_started_again(machine: Machine) -> None:
    put_array(machine.host.root, "md3", UUID, "tank")
    assert machine.refused().code == "array-runs"


def test_a_member_in_use_keeps_it_from_being_started(machine: Machine) -> None:
    root = machine.host.root
    put_device(root, "dm-0", 253, 0, {"size": "2048"})
    put_text(root / "sys/block/sdb/holders/dm-0/dev", "253:0")
    refused = machine.refused()
    assert isinstance(refused, DiskRefused)
    assert "sdb is part of dm-0" in refused.sentence


def test_another_jobs_disks_are_left_alone(machine: Machine) -> None:
    with machine.claims.hold({SDB}):
        assert isinstance(machine.refused(), Busy)


def test_what_is_half_assembled_is_stopped_first(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    root = machine.host.root
    put_device(root, "md127", 9, 127, {"size": "0", "md/array_state": "inactive"})
    put_text(root / "sys/block/sda/holders/md127/dev", "9:127")
    held = machine.prepare()
    assert held.half is not None

    async def run(argv: Sequence[str], **more: object) -> ProgramResult:
        if "--stop" in argv:
            (root / "sys/block/sda/holders/md127/dev").unlink()
        return await machine.run(argv, **more)

    monkeypatch.setattr(start, "run", run)
    asyncio.run(start.start(machine.host, held, []))
    assert [argv[1] for argv in machine.ran] == ["--stop", "--assemble"]


def test_a_kernel_that_refuses_it_is_told_before(machine: Machine) -> None:
    put_text(machine.host.root / "proc/sys/kernel/osrelease", "6.12.9-amd64\n")
    machine.prepare()
    machine.superblocks[SDB] = replace(machine.superblocks[SDB], logical_block_bytes=512)
    sentence = machine.refused().sentence
    assert "starts on Linux 6.19 and later" in sentence
    assert "this is Linux 6.12" in sentence
    put_text(machine.host.root / "proc/sys/kernel/osrelease", "7.0.14-5-pve\n")
    machine.prepare()


def test_a_missing_journal_is_the_reason_that_is_told(machine: Machine) -> None:
    for disk, superblock in machine.superblocks.items():
        machine.superblocks[disk] = replace(superblock, feature_map=HAS_JOURNAL)
    refused = machine.refused()
    assert "Its write journal is missing" in refused.sentence
    assert "Too few" not in refused.sentence


def test_copies_of_a_disk_and_a_twin_are_told_apart(machine: Machine) -> None:
    for number, uuid in ((SDA, "1:1:1:1"), (SDB, "1:1:1:1")):
        machine.superblocks[number] = replace(SUPERBLOCK, slot=0, device_uuid=uuid)
    assert "as copies of a disk do" in machine.refused().sentence
    machine.superblocks[SDB] = replace(SUPERBLOCK, slot=0, device_uuid="2:2:2:2")
    sentence = machine.refused().sentence
    assert "Two arrays with the UUID of" in sentence
    assert "slot 0" in sentence


def test_an_mdadm_that_is_too_old_and_a_linux_without_linear_are_told(machine: Machine) -> None:
    machine.superblocks[SDB] = replace(machine.superblocks[SDB], is_lockless=True)
    put_text(machine.host.root / "proc/sys/kernel/osrelease", "7.0.1\n")
    assert "mdadm 4.6 and later (lockless-bitmap); this is mdadm 4.4" in machine.refused().sentence
    machine.mdadm = MDADM_4_6
    machine.prepare()
    for number, superblock in machine.superblocks.items():
        machine.superblocks[number] = replace(superblock, level="linear", is_lockless=False)
    machine.prepare()
    put_text(machine.host.root / "proc/sys/kernel/osrelease", "6.12.9-amd64\n")
    assert "which Linux 6.8 to 6.13 can't run" in machine.refused().sentence


def test_where_md_refuses_nothing_is_left_behind(machine: Machine) -> None:
    machine.starts = False
    held = machine.prepare()
    with pytest.raises(JobFailed):
        asyncio.run(start.start(machine.host, held, []))
    assert len(machine.ran) == 1


def test_a_reshape_whose_first_stripes_are_lost_is_told_and_not_forced(machine: Machine) -> None:
    machine.starts = False
    machine.why_not = "mdadm: Failed to restore critical section for reshape, sorry.\n"
    held = machine.prepare()
    with pytest.raises(JobFailed, match="first stripes of its reshape") as told:
        asyncio.run(start.start(machine.host, held, []))
    assert told.value.code == "array-critical"
    assert "Nothing was forced" in str(told.value)
    assert not any("--force" in argv or "--invalid-backup" in argv for argv in machine.ran)


def test_a_reshape_whose_backup_file_is_elsewhere_says_where_it_is_looked_for(machine: Machine) -> None:
    machine.starts = False
    machine.why_not = 'mdadm: Please provided one with "--backup-file=..."\n'
    held = machine.prepare()
    with pytest.raises(JobFailed, match=r"copy it to /var/lib/raidwright/reshapes/.*[.]backup and start") as told:
        asyncio.run(start.start(machine.host, held, []))
    assert told.value.code == "array-wants-backup"
    assert not any("--force" in argv or "--invalid-backup" in argv for argv in machine.ran)


def test_a_member_that_changed_meanwhile_is_refused(machine: Machine) -> None:
    held = machine.prepare()
    del machine.superblocks[SDB]
    with pytest.raises(DiskRefused, match="sdb has changed"):
        asyncio.run(start.start(machine.host, held, []))
    assert not machine.ran


def test_a_name_that_is_taken_or_is_none_gets_another_node(machine: Machine) -> None:
    put_text(machine.host.root / "dev/md/tank", "")
    assert _started(machine)[3] == "/dev/md/0a1b2c3d00000001"
