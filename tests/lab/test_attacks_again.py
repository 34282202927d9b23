"""Attacks that once succeeded, repeated from outside, as an ordinary user or an administrator of the machine.

(Undo's own tests are in ``test_undo_sample``; those of the installed files in ``tests/bus/test_helper_package``.)
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from raidwright.cli import main
from raidwright.core.errors import Denied, DiskRefused, InputError, RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.protocol import looking, verbs
from raidwright.core.protocol.actions import Asked
from raidwright.core.protocol.errors import Busy
from raidwright.core.protocol.verb import Verb
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab, LabSpec, Role, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.arrays import StartArray, StopArray
from raidwright.operations.baselines import TakeBaseline
from raidwright.operations.builds import (
    BeginTrial,
    CreateArray,
    ForgetBuild,
    ListBuilds,
    ListScratch,
    StopScratch,
    Undo,
)
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.operations.operation import Request
from raidwright.operations.system import (
    Configuration,
    MakeFileSystem,
    Mount,
    PreviewConfiguration,
    Unmount,
    WriteConfiguration,
)
from raidwright_helper.acts import alerts

from tests.kit.asking import ask

from .undo_sequences import NODES, clean

pytestmark = pytest.mark.lab
HELPER, PATH = "org.raidwright.Helper1", "/org/raidwright/Helper1"
UNIT = "raidwright-helper.service"
LOOKING = [verb for verb in verbs.VERBS if any(action.asked is Asked.NEVER for action in verb.actions)]
MAY_LOOK = [action.id for verb in LOOKING for action in verb.actions if action.asked is Asked.NEVER]
BOB_MAY_LOOK = f"""
polkit.addRule(function (action, subject) {{
    if ({json.dumps(MAY_LOOK)}.indexOf(action.id) >= 0 && subject.user == "bob") return polkit.Result.YES;
}});
"""
CONNECTIONS, CALLS, CALLS_AT_ARRAYS = 3, 1, 14  # of each connection at once; it takes 16
LIE = "the empty test disks LOOP0 and LOOP1. Choose Allow to go on"
MIRROR = {"slots": 2, "component_kib": 32768, "chunk_kib": 0, "begins_kib": 1024}
MAX_RESIDENT_KIB = 64 * 1024


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, with small disks; its files are restored after each test."""
    with start(LabSpec(disks_from_text("4x64MB", at_memory_speed=True))) as machine:
        yield machine


@pytest.fixture(autouse=True)
def _clean(lab: Lab) -> Iterator[None]:
    sh(lab, "cp -p /etc/fstab /run/fstab; cp -p /etc/mdadm/mdadm.conf /run/mdadm.conf")
    clean(lab)
    yield
    sh(lab, "umount -q /mnt; cp -p /run/fstab /etc/fstab; cp -p /run/mdadm.conf /etc/mdadm/mdadm.conf; true")


def sh(lab: Lab, script: str) -> str:
    """Return the output of a script run by root."""
    return lab.exec(["sh", "-c", script]).stdout.decode().strip()


def run(lab: Lab, test: Callable[[Helper, list[Disk]], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address(role)) as machine:
            async with asyncio.timeout(120):
                while len(machine.snapshot.disks) < len(NODES):
                    await asyncio.sleep(0.05)
            await test(machine.helper, sorted(machine.snapshot.disks, key=lambda disk: disk.device))

    asyncio.run(asyncio.wait_for(connected(), 480))


def a_plan(disks: list[Disk], name: str = "tank") -> Plan:
    return Plan(MdArray(Level.RAID1, tuple(disk.as_member() for disk in disks), name=name, assume_clean=True))


async def build(helper: Helper, disks: list[Disk], name: str = "tank") -> tuple[str, str, str]:
    """Build an array on these disks, all signatures released; return its UUID, node and build."""
    found = await ask(helper, ExamineSignatures(tuple(disk.id for disk in disks)))
    built = await ask(helper, CreateArray(a_plan(disks, name), name, wipe=all_of(found)))
    return built.uuid, built.device, built.build_id


@contextlib.asynccontextmanager
async def _flooded(lab: Lab, verb: Verb[Any], values: Mapping[str, object]) -> AsyncIterator[None]:
    """Ask one thing without a pause, many times at once, as an ordinary user who may look; it has been answered."""
    stop, answered = asyncio.Event(), asyncio.Event()
    body = [values[one.name] for one in verb.takes]

    async def look(bus: MessageBus) -> None:
        while not stop.is_set():
            call = Message(
                destination=HELPER, path=PATH, interface=HELPER, member=verb.name, signature=verb.signature, body=body
            )
            if (await bus.call(call)).message_type is MessageType.METHOD_RETURN:
                answered.set()

    buses = [await MessageBus(bus_address=lab.bus_address("user")).connect() for _ in range(CONNECTIONS)]
    calls = CALLS_AT_ARRAYS if "name" in (one.name for one in verb.takes) else CALLS
    lookers = [asyncio.create_task(look(bus)) for bus in buses for _ in range(calls)]
    try:
        await asyncio.wait_for(answered.wait(), 60)
        yield
    finally:
        stop.set()
        await asyncio.gather(*lookers)
        for bus in buses:
            bus.disconnect()


def test_whoever_may_look_keeps_nobody_from_an_array(lab: Lab) -> None:
    """By any verb that needs no password: what each takes is known by its name, so that a new one is asked, too."""

    async def test(helper: Helper, disks: list[Disk]) -> None:
        uuid, _, _ = await build(helper, disks[:2])
        array = Named(uuid, "tank")
        shape = {"level": Variant("s", "raid1")} | {name: Variant("x", count) for name, count in MIRROR.items()}
        values = {"uuid": uuid, "array": uuid, "name": "tank", "disks": [disks[0].id], "wake": True}
        values |= {"shape": shape, "orders": ["0 -"]}
        for verb in LOOKING:
            async with _flooded(lab, verb, values):
                await ask(helper, StopArray(array))
            await ask(helper, StartArray(array))
        await ask(helper, MakeFileSystem(array, FileSystemKind.EXT4))
        async with _flooded(lab, looking.EXAMINE_CHANGE, values):
            await ask(helper, Mount(array, "/srv/tank"))
            await ask(helper, Unmount(array))

    async def nothing_set(helper: Helper, _disks: list[Disk]) -> None:
        with pytest.raises(Denied):  # it opened and claimed the array once, without a password
            await helper.do(verbs.TUNE, ":".join(["0a1b2c3d"] * 4), "tank", {})

    lab.exec(["sh", "-c", "cat > /etc/polkit-1/rules.d/01-test.rules; sleep 1"], BOB_MAY_LOOK.encode())
    try:
        run(lab, test)
        run(lab, nothing_set, role="user")
    finally:
        sh(lab, "rm /etc/polkit-1/rules.d/01-test.rules; sleep 1")


def test_long_messages_of_the_wrong_types_cost_nobody_anything(lab: Lab) -> None:
    """They ended the helper once: 1.2 GB of memory, and half a minute (here three) in which nobody was answered."""
    flood = Path(__file__).with_name("flood.py").read_bytes()
    lab.exec(["sh", "-c", "cat > /run/flood.py"], flood)

    async def test(helper: Helper, _disks: list[Disk]) -> None:
        await ask(helper, ListBuilds())
        pid = sh(lab, f"systemctl show --property=MainPID --value {UNIT}")
        flooding = "su bob -s /bin/sh -c 'exec python3 /run/flood.py 4 31' > /run/flood.log 2>&1 < /dev/null"
        sh(lab, f"{flooding} & echo $! > /run/flood.pid")
        try:
            sh(lab, "for i in $(seq 300); do grep -q sent /run/flood.log && exit 0; sleep 0.1; done; exit 1")
            for _ in range(3):
                await ask(helper, ListBuilds())
            assert sh(lab, f"systemctl show --property=MainPID --value {UNIT}") == pid
            most_kib = int(sh(lab, f"sed -n 's/VmHWM:\\s*\\([0-9]*\\).*/\\1/p' /proc/{pid}/status"))
            assert most_kib < MAX_RESIDENT_KIB
        finally:
            sh(lab, "kill $(cat /run/flood.pid) || true")

    run(lab, test)


def test_nothing_that_a_caller_says_of_a_disk_is_shown_or_kept(lab: Lab) -> None:
    async def test(helper: Helper, disks: list[Disk]) -> None:
        plan = a_plan(disks[:2])
        lying = plan.on(replace(plan.array, members=tuple(replace(one, model=LIE) for one in plan.disks())))
        with pytest.raises(DiskRefused, match="its model was"):
            await ask(helper, CreateArray(lying, "tank"))
        cut_short = plan.on(
            replace(plan.array, members=tuple(replace(one, model=one.model[:4]) for one in plan.disks()))
        )
        await ask(helper, CreateArray(cut_short, "tank"))

    run(lab, test)
    assert "LOOP0" not in sh(lab, f"journalctl --no-pager --unit={UNIT}")
    assert "LOOP0" not in sh(lab, "cat /var/lib/raidwright/backups/*/*.json")


LINES = {
    "by UUID": 'UUID="{uuid}" /srv ext4 noauto 0 0',
    "by label": "LABEL=my\\\\040photos /srv ext4 noauto 0 0",
    "by partition UUID": "PARTUUID={partuuid} /srv ext4 noauto 0 0",
    "by partition label": "PARTLABEL=data\\\\040one /srv ext4 noauto 0 0",
    "by another disk's options": "/dev/none /srv btrfs noauto,device=/dev/disk/by-uuid/{uuid} 0 0",
}
TABLE = (
    "printf 'label: gpt\\n,32M,L\\n' | sfdisk --quiet --wipe always /dev/sda;"
    "sfdisk --quiet --part-label /dev/sda 1 'data one'"
)


@pytest.mark.parametrize("how", LINES)
def test_a_disk_that_stands_in_fstab_is_refused_in_every_form(lab: Lab, how: str) -> None:
    sh(lab, f"{TABLE}; udevadm settle; mkfs.ext4 -q -F -L 'my photos' /dev/sda1; udevadm settle")
    known = {name: sh(lab, f"lsblk --noheadings --output={name} /dev/sda1") for name in ("uuid", "partuuid")}
    line = LINES[how].format(**known)
    sh(lab, f"printf '{line}\\n' >> /etc/fstab")

    async def test(helper: Helper, disks: list[Disk]) -> None:
        with pytest.raises(DiskRefused, match="/etc/fstab"):
            await build(helper, disks[:2])

    run(lab, test)
    assert sh(lab, "lsblk --noheadings --output=UUID /dev/sda1") == known["uuid"]


def test_its_own_lines_go_with_an_array_if_that_was_confirmed(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    files = "/etc/fstab /etc/mdadm/mdadm.conf"
    before = sh(lab, f"cat {files}")

    async def configured(helper: Helper, disks: list[Disk]) -> None:
        uuid, _, _ = await build(helper, disks[:2])
        wishes = Configuration(place="/srv/tank")
        await ask(helper, MakeFileSystem(Named(uuid, "tank"), FileSystemKind.EXT4))
        shown = await ask(helper, PreviewConfiguration(Named(uuid, "tank"), wishes))
        await ask(helper, WriteConfiguration(Named(uuid, "tank"), wishes, shown.token))

    run(lab, configured)
    assert sh(lab, f"cat {files}") != before
    machine = ["--machine", f"lab:{lab.name}"]
    take_apart = ["array", "dismantle", "tank", "--give-up", "ext4", "--yes-name", "tank", *machine]
    assert main(take_apart) == 2
    assert "--with-lines takes it out" in capsys.readouterr().err
    assert main([*take_apart, "--with-lines", "--json"]) == 0
    assert "took the array's lines out" in json.dumps(json.loads(capsys.readouterr().out)["log"])
    after = sh(lab, f"cat {files}")
    assert [
        line for line in after.splitlines() if line != f"PROGRAM {alerts.PROGRAM}"
    ] == before.splitlines()  # that is every array's
    assert main(["configure", "--restore", *machine]) == 0
    assert sh(lab, f"cat {files}") != before


def test_a_superblocks_name_gets_into_no_file(lab: Lab) -> None:
    name = "a\rMD_METADATA=1.2 #x"
    create = "mdadm --quiet --create /dev/md9 --run --level=1 --metadata=1.0 --assume-clean --raid-devices=2"
    lab.exec(["sh", "-c", f'{create} --name="$1" /dev/sda /dev/sdb; udevadm settle', "sh", name])
    uuid = sh(lab, "mdadm --detail --export /dev/md9 | sed -n s/^MD_UUID=//p")

    async def test(helper: Helper, _disks: list[Disk]) -> None:
        with pytest.raises(InputError, match="rename it first"):
            await ask(helper, PreviewConfiguration(Named(uuid, name), Configuration()))

    run(lab, test)


def test_in_the_helpers_view_nothing_of_etc_can_be_written(lab: Lab) -> None:
    async def test(helper: Helper, _disks: list[Disk]) -> None:
        await ask(helper, ListBuilds())
        pid = sh(lab, f"systemctl show --property=MainPID --value {UNIT}")
        for name in ("ld.so.preload", "profile.d/x", "fstab", "mdadm/x", "udev/rules.d/x", "x"):
            done = lab.exec(["nsenter", "-t", pid, "-m", "touch", f"/etc/{name}"], check=False)
            assert b"Read-only file system" in done.stderr, name
        for path in ("/etc/ld.so.preload", "/etc/udev/rules.d/90-raidwright-x.rules", "/etc/mdadm/../x", "/srv/x"):
            order = json.dumps({"path": path, "text": "x", "mode": 420}).encode()
            done = lab.exec(["/usr/libexec/raidwright-etc"], order, check=False)
            assert done.returncode == 1
            assert b"none of the files" in done.stderr, path

    run(lab, test)


def test_what_was_saved_goes_when_it_is_not_needed_or_wanted(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "KEYSLOT-OF-SOMEBODY"  # noqa: S105  (it stands for one)
    write = f"printf {secret} | dd of=$disk bs=512 seek=1000 conv=notrunc,fsync status=none"
    sh(lab, f"mkfs.ext4 -q -F /dev/sda; disk=/dev/sda; {write}")
    kept = f"grep -l {secret} -r /var/lib/raidwright 2>/dev/null || true"
    machine = ["--machine", f"lab:{lab.name}"]

    async def built(helper: Helper, disks: list[Disk]) -> None:
        *_, build_id = await build(helper, disks[:2])
        assert sh(lab, kept)
        [record] = await ask(helper, ListBuilds())
        assert (record.has_way_back, record.kept_until_s) == (True, record.began_s + 30 * 86_400)
        assert record.id == build_id

    run(lab, built)
    assert main(["builds", *machine]) == 0
    said = capsys.readouterr().out
    assert "is kept in /var/lib/raidwright/backups until" in said
    build_id = said.split()[0]
    assert main(["builds", "--forget", build_id, *machine]) == 0
    assert not sh(lab, kept)
    assert main(["builds", "--undo", build_id, *machine]) == 2
    assert main(["builds", "--forget", build_id, *machine]) == 2

    async def others(helper: Helper, disks: list[Disk]) -> None:
        with pytest.raises(Denied):
            await ask(helper, ForgetBuild(build_id))
        assert len(disks) == len(NODES)

    run(lab, others, role="user")

    async def undone(helper: Helper, disks: list[Disk]) -> None:
        sh(lab, f"disk=/dev/sdc; {write}")
        *_, second = await build(helper, disks[2:], "pool")
        assert sh(lab, kept)
        await ask(helper, Undo(second))
        assert not sh(lab, kept)
        with pytest.raises(RaidwrightError, match="undone already"):
            await ask(helper, Undo(second))

    run(lab, undone)


def test_bytes_that_nothing_recognises_are_overwritten_only_if_that_was_confirmed(lab: Lab) -> None:
    """As of a closed plain dm-crypt disk, and of one with only a backup superblock of btrfs left."""
    sh(lab, "head -c 64M /dev/urandom > /dev/sdc; printf _BHRfS_M | dd of=/dev/sdd bs=1 seek=$((32<<20)) status=none")
    sh(lab, "for disk in c d; do blockdev --flushbufs /dev/sd$disk; done; udevadm settle")
    look = "for disk in c d; do blockdev --flushbufs /dev/sd$disk; md5sum < /dev/sd$disk; done"
    before = sh(lab, look)

    async def test(helper: Helper, disks: list[Disk]) -> None:
        ids = tuple(disk.id for disk in disks)
        found = await ask(helper, ExamineSignatures(ids))
        assert {disk: tuple(one.name for one in found[disk]) for disk in ids} == {
            ids[0]: (), ids[1]: (), ids[2]: ("unknown",), ids[3]: ("unknown",),
        }  # fmt: skip
        plan = a_plan(disks[2:])
        refused: tuple[Request[Any], ...] = (
            CreateArray(plan, "tank"),
            CreateArray(plan, "tank", scratch=True),
            BeginTrial(tuple(plan.disks()), 10),
            TakeBaseline(disks[2].as_member(), 1, write=True),
        )
        for request in refused:
            with pytest.raises(DiskRefused, match="nothing here recognises"):
                await ask(helper, request)
        assert sh(lab, look) == before
        *_, build_id = await build(helper, disks[2:])
        assert sh(lab, look) != before
        await ask(helper, Undo(build_id))
        assert sh(lab, look) == before
        await ask(helper, BeginTrial(tuple(plan.disks()), 10, frozenset(ids[2:])))
        scratch = await ask(helper, CreateArray(plan, "tank", scratch=True))
        await ask(helper, StopScratch(scratch.uuid))
        # The bytes beyond the array are still theirs, so nothing was zeroed, and a confirmation is needed again.
        told = await ask(helper, ExamineSignatures(ids))
        assert all(any(one.name == "unknown" for one in told[disk]) for disk in ids[2:])

    run(lab, test)


def test_what_somebody_puts_on_a_scratch_array_stays_when_its_owner_leaves(lab: Lab) -> None:
    uuids: list[str] = []

    async def leave(helper: Helper, disks: list[Disk]) -> None:
        built = await ask(helper, CreateArray(a_plan(disks[:2]), "tank", scratch=True))
        uuids.append(built.uuid)
        with pytest.raises(InputError, match="scratch array"):
            await ask(helper, MakeFileSystem(Named(built.uuid, "tank"), FileSystemKind.EXT4))
        with pytest.raises(InputError, match="scratch array"):
            await ask(helper, Mount(Named(built.uuid, "tank"), "/srv/keep"))
        sh(lab, f"mkfs.ext4 -q {built.device}; mount {built.device} /mnt; echo summer > /mnt/photo; umount /mnt")

    async def come(helper: Helper, disks: list[Disk]) -> None:
        async with asyncio.timeout(60):
            while not (left := await ask(helper, ListScratch()))[0].why_left:
                await asyncio.sleep(0.2)
        assert "has come to hold something" in left[0].why_left
        assert sh(lab, "mount -o ro /dev/md/tank /mnt; cat /mnt/photo; umount /mnt") == "summer"
        async with asyncio.timeout(60):
            while await ask(helper, ListScratch()):
                with contextlib.suppress(Busy):  # the helper may just be trying again
                    await ask(helper, StopScratch(uuids[0]))
        assert await ask(helper, ListScratch()) == ()
        found = await ask(helper, ExamineSignatures(tuple(disk.id for disk in disks)))
        assert not any(found.values())

    run(lab, leave)
    run(lab, come)
