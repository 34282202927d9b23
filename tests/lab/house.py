"""An array called tank with a file system and files on it, like that of a practising user."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.workload import Workload
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.builds import CreateArray
from raidwright.operations.measuring import RunWorkload
from raidwright.operations.system import MakeFileSystem, Mount

from tests.kit.asking import ask
from tests.kit.blank import blank

_PLACE = "/srv/tank"
_FILES = 8
_WRITE = f"""set -e; for number in $(seq {_FILES}); do
dd if=/dev/urandom of={_PLACE}/$number bs=1M count=$1 conv=fsync status=none; done; sync
cd {_PLACE}; md5sum $(seq {_FILES}) > /run/sums; echo 3 > /proc/sys/vm/drop_caches"""
_READ = f"echo 3 > /proc/sys/vm/drop_caches; cd {_PLACE} && md5sum --quiet --check /run/sums"
_LEAVE = f"""umount -q /srv/tank; udevadm settle; udevadm control --stop-exec-queue
[ -e /dev/md/tank ] && wipefs --all --quiet /dev/md/tank && mdadm --quiet --stop /dev/md/tank
mdadm --quiet --stop --scan; mdadm --quiet --zero-superblock $@
{blank("$@")}
udevadm control --start-exec-queue; udevadm settle; rm -f /run/sums; true"""
_RESULT = TypeVar("_RESULT")


class House:
    """House on the disks of ``lab`` present when it is built; ``md`` is an existing array's device."""

    def __init__(self, lab: Lab, md: str = "") -> None:
        self.lab = lab
        self.uuid, self.md = "", md

    def sh(self, script: str, *words: str) -> str:
        """Return the output of a shell script in the guest; raises MachineError if it fails."""
        return self.lab.exec(["sh", "-c", script, "sh", *words]).stdout.decode().strip()

    def build(self, level: Level, component_size_kib: int | None = None) -> None:
        """Build it through the helper, of all disks; its first resync continues when this returns."""

        async def build(machine: Machine) -> None:
            async with asyncio.timeout(120):
                while len(machine.snapshot.disks) < len(self.lab.disks()):
                    await asyncio.sleep(0.05)
            members = tuple(disk.as_member() for disk in machine.snapshot.disks)
            plan = Plan(MdArray(level, members, "tank", component_size_kib=component_size_kib))
            built = await ask(machine.helper, CreateArray(plan, "tank"))
            self.uuid, self.md = built.uuid, Path(built.device).name

        self._ask(build)

    def write_benchmark(self, seconds: int) -> WorkloadResult:
        """Return the helper's write measurement of the empty array."""
        target, workload = f"md:{self.uuid}", Workload.SEQUENTIAL_WRITE
        return self._ask(lambda machine: ask(machine.helper, RunWorkload(target, workload, seconds, region_mib=512)))

    def furnish(self, kind: FileSystemKind, files_mib: int) -> None:
        """Make a file system, mount it and write files of ``files_mib`` in total, of random bytes."""

        async def furnish(machine: Machine) -> None:
            tank = Named(self.uuid, "tank")
            await ask(machine.helper, MakeFileSystem(tank, kind))
            await ask(machine.helper, Mount(tank, _PLACE))

        self.sh(f"wipefs --all --quiet /dev/{self.md}; udevadm settle")  # of what was measured there
        self._ask(furnish)
        self.fill(files_mib)

    def fill(self, files_mib: int) -> None:
        """Write files of ``files_mib`` in total, of random bytes, to the mounted file system."""
        self.sh(_WRITE, str(files_mib // _FILES))

    def read_back(self) -> None:
        """Compare the files with their checksums, from the disks; raises MachineError if one differs."""
        self.sh(_READ)

    def replace(self, lost: str, new: LabDisk) -> None:
        """Unplug the disk with the serial ``lost``, plug in ``new``, and wait until it is rebuilt."""
        self.lab.pull_disk(lost)
        self.lab.add_disk(new)
        md = f"mdadm --quiet /dev/{self.md}"
        self.sh(f"{md} --fail detached --remove detached; {md} --add {self.node(new.serial)}")
        self.wait()

    def node(self, serial: str) -> str:
        """The device of the disk with ``serial``."""
        lines = self.sh("lsblk --nodeps --noheadings --output=PATH,SERIAL").splitlines()
        return next(line.split()[0] for line in lines if line.split()[-1] == serial)

    def wait(self) -> None:
        """Wait until md is idle."""
        self.sh(f"mdadm --quiet --wait /dev/{self.md}; true")

    def says(self, attribute: str) -> str:
        """Return one of md's sysfs attributes."""
        return self.sh(f"cat /sys/block/{self.md}/md/{attribute}")

    def check(self) -> None:
        """Let md compare all copies and parity; assert that no member is missing and no sector differs."""
        self.wait()
        self.sh(f"echo check > /sys/block/{self.md}/md/sync_action")
        self.wait()
        assert self.says("degraded") == "0"
        assert self.says("mismatch_cnt") == "0"

    def leave(self) -> None:
        """Dismantle the array."""
        self.sh(_LEAVE, *self.sh("lsblk --nodeps --noheadings --output=PATH --scsi").split())

    def _ask(self, question: Callable[[Machine], Awaitable[_RESULT]]) -> _RESULT:
        async def ask() -> _RESULT:
            async with Machine.connect(self.lab.bus_address("admin")) as machine:
                return await question(machine)

        return asyncio.run(ask())
