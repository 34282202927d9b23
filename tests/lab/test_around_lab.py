"""An array's surroundings, on a real md: file systems, mounts, settings, the system's files, and refusals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.errors import Denied, DiskRefused, InputError, JobFailed
from raidwright.core.protocol.results import Configured, MadeFileSystem, Preview
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Lasting, Scheduler, Tuning
from raidwright.lab.machine import Lab, Role
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.system import (
    Configuration,
    ExamineSettings,
    MakeFileSystem,
    Mount,
    PreviewConfiguration,
    RestoreConfiguration,
    Tune,
    Unmount,
    WriteConfiguration,
)

from tests.kit.asking import ask
from tests.kit.blank import blank

pytestmark = pytest.mark.lab
DISKS = " ".join(f"/dev/sd{letter}" for letter in "abcd")
NODE, FILES = "/dev/md/tank", ("/etc/fstab", "/etc/mdadm/mdadm.conf")
_BUILD = (
    f"mdadm --quiet --create {NODE} --run --level=5 --chunk=64 --metadata=1.2 --bitmap=none --assume-clean --name=tank "
    f"--size=262144 --raid-devices=4 {DISKS} 2>/dev/null; udevadm settle"
)
_CLEAN = (
    "umount --quiet /srv/tank; rmdir --ignore-fail-on-non-empty /srv/tank 2>/dev/null;"
    "udevadm settle; udevadm control --stop-exec-queue;"
    f"[ -e {NODE} ] && wipefs --all --quiet {NODE}; mdadm --quiet --stop {NODE};"
    f"mdadm --quiet --zero-superblock {DISKS}; {blank(DISKS)};"
    "udevadm control --start-exec-queue; udevadm settle; rm -f /etc/udev/rules.d/90-raidwright-*;"
    "for disk in a b c d; do echo mq-deadline > /sys/block/sd$disk/queue/scheduler;"
    "echo 30 > /sys/block/sd$disk/device/timeout; done"
)


def sh(lab: Lab, script: str) -> str:
    """Return the output of ``script`` as root in the lab."""
    return lab.exec(["sh", "-c", script]).stdout.decode().strip()


@pytest.fixture(scope="module")
def tank(lab: Lab) -> Iterator[str]:
    """The UUID of a small raid5 called tank, with everything restored afterwards."""
    before = sh(lab, f"cat {' '.join(FILES)}")
    sh(lab, _BUILD)
    yield sh(lab, f"mdadm --detail --export {NODE} | sed -n s/MD_UUID=//p")
    sh(lab, _CLEAN)
    assert sh(lab, f"cat {' '.join(FILES)}") == before


@pytest.fixture
def uuid(lab: Lab, tank: str) -> str:
    """The UUID of the array, which is empty."""
    sh(lab, f"wipefs --all --quiet {NODE}; udevadm settle")
    return tank


def run(lab: Lab, test: Callable[[Helper], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address(role)) as machine:
            await test(machine.helper)

    asyncio.run(asyncio.wait_for(connected(), 300))


def test_an_ordinary_user_may_look_at_nothing_and_change_nothing(lab: Lab, uuid: str) -> None:
    async def test(helper: Helper) -> None:
        for asked in (
            ask(helper, MakeFileSystem(Named(uuid, "tank"), FileSystemKind.EXT4)),
            ask(helper, Mount(Named(uuid, "tank"), "/srv/tank")),
            ask(helper, Unmount(Named(uuid, "tank"))),
            ask(helper, Tune(Named(uuid, "tank"), Tuning(read_ahead_kib=1))),
            ask(helper, PreviewConfiguration(Named(uuid, "tank"), Configuration())),
            ask(helper, WriteConfiguration(Named(uuid, "tank"), Configuration(), "0")),
            ask(helper, RestoreConfiguration()),
        ):
            with pytest.raises(Denied):
                await asked

    run(lab, test, role="user")


def test_each_file_system_knows_the_stripe_and_nothing_is_made_over_it(lab: Lab, uuid: str) -> None:
    told = {
        FileSystemKind.EXT4: (f"dumpe2fs -h {NODE} 2>/dev/null | grep -E 'stride|stripe|UUID|volume name'", "16", "48"),
        FileSystemKind.XFS: (f"xfs_db -r -c 'sb 0' -c 'p unit width uuid fname' {NODE}", "unit = 16", "width = 48"),
        FileSystemKind.BTRFS: (f"btrfs inspect-internal dump-super {NODE}", "label\t\t\tdata", "fsid"),
    }

    async def test(helper: Helper) -> None:
        for kind, (question, *answers) in told.items():
            made = await ask(helper, MakeFileSystem(Named(uuid, "tank"), kind, label="data"))
            said = sh(lab, question)
            assert all(answer in said for answer in (*answers, made.filesystem_uuid, "data")), said
            assert (made.stripe_unit_kib, made.stripe_width_kib) == (64, 192)
            if kind is FileSystemKind.XFS:
                with pytest.raises(DiskRefused, match="holds something: xfs"):
                    await ask(helper, MakeFileSystem(Named(uuid, "tank"), FileSystemKind.EXT4))
            sh(lab, f"wipefs --all --quiet {NODE}; udevadm settle")

    run(lab, test)


def test_another_array_than_the_one_that_is_meant_is_left_alone(lab: Lab, uuid: str) -> None:
    async def test(helper: Helper) -> None:
        for other, name, kind in ((uuid, "tnak", InputError), (uuid[::-1], "tank", DiskRefused)):
            with pytest.raises(kind):
                await ask(helper, MakeFileSystem(Named(other, name), FileSystemKind.EXT4))
            with pytest.raises(kind):
                await ask(helper, Tune(Named(other, name), Tuning(read_ahead_kib=1)))
        with pytest.raises(DiskRefused, match="no file system"):
            await ask(helper, Mount(Named(uuid, "tank"), "/srv/tank"))
        with pytest.raises(DiskRefused, match="isn't mounted"):
            await ask(helper, Unmount(Named(uuid, "tank")))

    run(lab, test)
    assert not sh(lab, f"wipefs --no-act --noheadings {NODE}")


def test_a_mount_is_everybodys_and_says_who_is_in_its_way(lab: Lab, uuid: str) -> None:
    async def test(helper: Helper) -> None:
        await ask(helper, MakeFileSystem(Named(uuid, "tank"), FileSystemKind.EXT4))
        sh(lab, "ln -s /etc /srv/link")
        with pytest.raises(DiskRefused, match="choose another folder"):
            await ask(helper, Mount(Named(uuid, "tank"), "/srv/link"))
        sh(lab, "rm /srv/link")
        await ask(helper, Mount(Named(uuid, "tank"), "/srv/tank"))
        options = sh(lab, "findmnt --noheadings --output OPTIONS /srv/tank").split(",")
        assert {"nodev", "nosuid"} <= set(options)
        for asked in (
            ask(helper, Mount(Named(uuid, "tank"), "/srv/other")),
            ask(helper, MakeFileSystem(Named(uuid, "tank"), FileSystemKind.EXT4)),
        ):
            with pytest.raises(DiskRefused, match="mounted"):
                await asked
        sh(lab, "cd /srv/tank && (sleep 60 >/dev/null 2>&1 & echo $! > /run/sleeper)")
        with pytest.raises(JobFailed, match="still mounted at /srv/tank"):
            await ask(helper, Unmount(Named(uuid, "tank")))
        sh(lab, "kill $(cat /run/sleeper); sleep 0.1")
        assert (await ask(helper, Unmount(Named(uuid, "tank")))).place == "/srv/tank"
        assert not sh(lab, "findmnt /srv/tank || true")

    run(lab, test)


def test_settings_hold_now_and_at_the_next_boot_until_they_are_forgotten(lab: Lab, uuid: str) -> None:
    tuning = Tuning(
        read_ahead_kib=2048, stripe_cache_size=512, group_thread_cnt=2, scheduler=Scheduler.NONE, error_recovery_s=7
    )
    look = (
        "cat /sys/block/$(basename $(readlink -f /dev/md/tank))/queue/read_ahead_kb "
        "/sys/block/$(basename $(readlink -f /dev/md/tank))/md/stripe_cache_size "
        "/sys/block/sda/queue/scheduler /sys/block/sdd/device/timeout"
    )
    as_wanted = ["2048", "512", "[none] mq-deadline kyber", "180"]

    async def test(helper: Helper) -> None:
        with pytest.raises(InputError, match="from 17 to"):
            await ask(helper, Tune(Named(uuid, "tank"), Tuning(stripe_cache_size=1)))
        told = await ask(helper, Tune(Named(uuid, "tank"), tuning, lasting=Lasting.ALWAYS))
        assert told.settings["stripe_cache_size"] == "512"
        assert len(told.kept) == 5
        assert _sorted(sh(lab, look)) == _sorted("\n".join(as_wanted))
        node = "/sys/block/$(basename $(readlink -f /dev/md/tank))"
        sh(lab, f"echo 128 > {node}/queue/read_ahead_kb; echo 256 > {node}/md/stripe_cache_size")
        sh(lab, "echo kyber > /sys/block/sda/queue/scheduler; echo 30 > /sys/block/sdd/device/timeout")
        sh(lab, f"udevadm trigger --action=add --settle {DISKS}; udevadm trigger --action=change --settle {NODE}")
        assert _sorted(sh(lab, look)) == _sorted("\n".join(as_wanted))
        assert (await ask(helper, ExamineSettings(Named(uuid, "tank")))).kept == told.kept
        assert not (await ask(helper, Tune(Named(uuid, "tank"), Tuning(), lasting=Lasting.FORGET))).kept

    run(lab, test)
    assert not sh(lab, "ls /etc/udev/rules.d | grep 90-raidwright-[0-9a-f] || true")


def _sorted(text: str) -> list[list[str]]:
    return [sorted(line.split()) for line in text.splitlines()]


@pytest.fixture
def fstab_generator(lab: Lab) -> Iterator[None]:
    """Run systemd's fstab generator, which a practice machine skips at its start."""
    mask = "/etc/systemd/system-generators/systemd-fstab-generator"
    sh(lab, f"rm {mask}")
    yield
    sh(lab, f"ln -s /dev/null {mask}")


@pytest.fixture
def initramfs(lab: Lab) -> Iterator[None]:
    """A replacement for update-initramfs, which a practice machine doesn't have."""
    program = "/usr/sbin/update-initramfs"
    sh(lab, f"printf '#!/bin/sh\necho $@ >> /boot/made\n' > {program}; chmod 755 {program}")
    yield
    sh(lab, f"rm {program} /boot/made")


@pytest.mark.usefixtures("fstab_generator", "initramfs")
def test_files_are_written_as_shown_and_put_back_as_they_were(lab: Lab, uuid: str) -> None:
    wishes = Configuration(place="/srv/tank", mail="me@example.org")
    before = sh(lab, f"stat -c '%a %u %g' {' '.join(FILES)}; cat {' '.join(FILES)}")

    async def test(helper: Helper) -> None:
        with pytest.raises(DiskRefused, match="no file system"):
            await ask(helper, PreviewConfiguration(Named(uuid, "tank"), wishes))
        tank = Named(uuid, "tank")  # as the window performs it, step by step
        made = await ask(helper, MakeFileSystem(tank, FileSystemKind.EXT4))
        shown = await ask(helper, PreviewConfiguration(tank, wishes))
        assert isinstance(made, MadeFileSystem)
        assert isinstance(shown, Preview)
        line = f"UUID={made.filesystem_uuid} /srv/tank ext4 nofail,x-systemd.device-timeout=5min,nodev,nosuid 0 2"
        assert {f"+{line}", f"+ARRAY /dev/md/tank metadata=1.2 UUID={uuid}", "-MAILADDR root"} <= set(shown.difference)
        with pytest.raises(DiskRefused, match="look at it once more"):
            await ask(helper, WriteConfiguration(Named(uuid, "tank"), Configuration(), shown.token))
        sh(lab, "cp -p /etc/fstab /run/fstab; echo '# mine' >> /etc/fstab")
        with pytest.raises(DiskRefused, match="changed since"):
            await ask(helper, WriteConfiguration(Named(uuid, "tank"), wishes, shown.token))
        sh(lab, "mv /run/fstab /etc/fstab")
        written = await ask(helper, WriteConfiguration(tank, wishes, shown.token))
        assert isinstance(written, Configured)
        assert written.files == FILES
        assert shown.initramfs
        assert sh(lab, "cat /boot/made") == "-u"
        assert not (await ask(helper, PreviewConfiguration(Named(uuid, "tank"), wishes))).difference
        await ask(helper, Mount(tank, "/srv/tank"))  # by the unit that fstab makes
        assert "FragmentPath=/run/systemd/generator/" in sh(
            lab, "systemctl show --property=FragmentPath srv-tank.mount"
        )
        await ask(helper, Unmount(Named(uuid, "tank")))
        assert sh(lab, "mdadm --detail --brief /dev/md/tank").split()[-1] in sh(lab, "cat /etc/mdadm/mdadm.conf")
        sh(lab, "cp -p /etc/fstab /run/fstab; echo '# mine' >> /etc/fstab")
        with pytest.raises(DiskRefused, match="/etc/fstab was changed since"):
            await ask(helper, RestoreConfiguration())
        sh(lab, "mv /run/fstab /etc/fstab")
        await ask(helper, RestoreConfiguration())

    run(lab, test)
    assert sh(lab, f"stat -c '%a %u %g' {' '.join(FILES)}; cat {' '.join(FILES)}") == before


def test_the_helpers_own_house_stays_closed(lab: Lab, uuid: str) -> None:
    """Its writable /etc excludes the files on accounts and permissions."""

    async def test(helper: Helper) -> None:
        await ask(helper, ExamineSettings(Named(uuid, "tank")))
        pid = sh(lab, "systemctl show --property=MainPID --value raidwright-helper.service")
        for place in ("/etc/polkit-1/x", "/etc/systemd/x", "/etc/pam.d/x", "/etc/passwd", "/usr/x", "/srv/x"):
            done = lab.exec(["nsenter", "-t", pid, "-m", "touch", place], check=False)
            assert b"Read-only file system" in done.stderr, place

    run(lab, test)


def test_the_commands_say_it_and_refuse_with_two(lab: Lab, uuid: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = ["--machine", f"lab:{lab.name}"]
    assert main(["filesystem", "make", "tank", "--yes-name", "tnak", *machine]) == 2
    assert (
        main(["filesystem", "make", "tank", "--kind", "xfs", "--label", "a" * 13, "--yes-name", "tank", *machine]) == 2
    )
    assert "at most 12" in capsys.readouterr().err
    assert main(["filesystem", "make", "tank", "--yes-name", "tank", "--json", *machine]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "ext4"
    assert main(["filesystem", "make", "tank", "--yes-name", "tank", *machine]) == 2
    assert "holds something: ext4" in capsys.readouterr().err
    assert main(["tune", "tank", "--json", *machine]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["stripe_cache_size"]
    assert main(["configure", "tank", "--mount", "/srv/tank", *machine]) == 0
    assert "Nothing is written yet" in capsys.readouterr().out
    assert main(["configure", "--restore", *machine]) == 2
    assert main(["configure", "tank", "--mount", "/etc", *machine]) == 2
