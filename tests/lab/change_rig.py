"""A practice machine for changes: an array called tank with a file system of checksummed files, and spare disks."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from raidwright.cli import main
from raidwright.lab.image import Generation, generation_unasked
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit.blank import blank

PLACE = "/srv/tank"
FILES = f"""set -e; udevadm settle; mkfs.$1 -q /dev/md/tank; mkdir -p {PLACE}; mount /dev/md/tank {PLACE}
for number in 1 2 3 4; do dd if=/dev/urandom of={PLACE}/$number bs=1M count=$2 conv=fsync status=none; done
cd {PLACE}; md5sum 1 2 3 4 > /var/lib/sums; sync"""
_READ = f"echo 3 > /proc/sys/vm/drop_caches; cd {PLACE} && md5sum --quiet --check /var/lib/sums"
_LEAVE = f"""while mountpoint -q {PLACE}; do umount {PLACE}; done
echo 200000 > /proc/sys/dev/raid/speed_limit_max; udevadm settle
udevadm control --stop-exec-queue; [ -e /dev/md/tank ] && wipefs -aq /dev/md/tank
mdadm --quiet --stop --scan; for md in /dev/md?*; do [ -b $md ] && mdadm --quiet --stop $md; done
for disk in /dev/sd?; do mdadm --quiet --zero-superblock $disk; wipefs -aq $disk; done; {blank("/dev/sd?")}
rm -rf /var/lib/raidwright/reshapes; udevadm control --start-exec-queue; udevadm settle; true"""
FOLDER = "/sys/block/$(basename $(readlink -f /dev/md/tank))/md"
_UNTIL = f"""cd {FOLDER}; end=$(( $(date +%s) + 300 ))
until p=$(cat reshape_position) && [ "$p" != none ] && [ "$p" -ge "$1" ]; do
[ $(date +%s) -lt $end ] || exit 9; sleep 0.1; done"""
# As a computer's initramfs starts it: of every disk that carries the UUID.
_STARTED_ANEW = f"""umount {PLACE}; udevadm settle; udevadm control --stop-exec-queue
uuid=$(mdadm --detail --export /dev/md/tank | sed -n 's/MD_UUID=//p'); mdadm --quiet --stop /dev/md/tank
mdadm --assemble --run --config=none /dev/md/tank --uuid=$uuid; code=$?
udevadm control --start-exec-queue; [ $code = 0 ] && mount /dev/md/tank {PLACE}"""
_UNTIL_STANDS = f"""cd {FOLDER}; end=$(($(date +%s) + 120)); p=
until [ "$(cat reshape_position)" = "$p" ]; do
p=$(cat reshape_position); [ "$p" != none ] && [ $(date +%s) -lt $end ] || exit 9; sleep 3; done"""
_SLOW = "echo 2000 > /proc/sys/dev/raid/speed_limit_max; echo 2000 > /proc/sys/dev/raid/speed_limit_min"
_HURRY = "echo 100000 > /proc/sys/dev/raid/speed_limit_min"


class ChangeRig:
    """The machine; its disks are in ``store``, so that they survive a power cut."""

    lab: Lab

    def __init__(self, store: Path, disks: str = "6x300MB", generation: Generation | None = None) -> None:
        self._spec = LabSpec(disks_from_text(disks), generation or generation_unasked(), store=store)

    def __enter__(self) -> Self:
        self.boot()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lab.stop()

    def boot(self) -> None:
        """Switch the machine on."""
        self.lab = start(self._spec)
        self.sh(_HURRY)

    def cut_power(self) -> None:
        """Cut the power, and switch the machine on again."""
        sums = self.sh("cat /var/lib/sums")
        self.lab.stop()
        self.boot()
        self.sh('printf "%s\n" "$1" > /var/lib/sums', sums)

    def sh(self, script: str, *words: str) -> str:
        """Return the output of a shell script in the guest; raises MachineError if it fails."""
        return self.lab.exec(["sh", "-c", script, "sh", *words]).stdout.decode().strip()

    def call(self, *words: str, code: int = 0) -> Any:
        """Return what ``raidwright …`` prints with --json; its last line on stderr if it is to fail by ``code``."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([*words, "--json", "--machine", f"lab:{self.lab.name}"])
        assert status == code, (words, status, err.getvalue()[-2000:], out.getvalue()[-500:])
        return json.loads(out.getvalue()) if out.getvalue() else err.getvalue().splitlines()[-1]

    def started(self, name: str) -> str:
        """Start the array; return the sentence of a refusal, "" if it runs."""
        err = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            status = main(["array", "start", name, "--yes-name", name, "--machine", f"lab:{self.lab.name}"])
        return err.getvalue().splitlines()[-1] if status else ""

    def node(self, serial: str) -> str:
        """Return the node of the disk."""
        nodes = "lsblk --nodeps --noheadings --output=PATH,SERIAL"
        return self.sh(nodes + " | awk -v serial=$1 '$2 == serial { print $1 }'", serial)

    def change(self, *words: str, code: int = 0) -> Any:
        """Change the array, by its name."""
        return self.call("array", "change", "tank", *words, "--yes-name", "tank", code=code)

    def changing(self, *words: str) -> subprocess.Popen[bytes]:
        """Begin the change slowly, in a process of its own."""
        self.sh(_SLOW)
        argv = [sys.executable, "-m", "raidwright", "array", "change", "tank", *words, "--yes-name", "tank"]
        return subprocess.Popen([*argv, "--machine", f"lab:{self.lab.name}"], stderr=subprocess.DEVNULL)

    def until_reshape_at(self, sector: int) -> None:
        """Wait until md has reshaped so far; raises MachineError after two minutes."""
        self.sh(_UNTIL, str(sector))

    def reshape_position(self) -> str:
        """Return the sector that md's reshape has got to."""
        return self.sh(f"cat {FOLDER}/reshape_position")

    def until_reshape_stands(self) -> None:
        """Wait until a reshape under way hasn't moved for three seconds; raises MachineError after two minutes."""
        self.sh(_UNTIL_STANDS)

    def serials(self) -> list[str]:
        """Return the serial numbers of the disks."""
        return [disk.serial for disk in self._spec.disks]

    def build(self, folder: Path, level: str, count: int, kind: str = "ext4", file_mib: int = 8, **more: Any) -> None:
        """Build the array of the first disks, with files on it."""
        disks = {disk["serial"]: disk for disk in self.call("disks")}
        members = [
            {key: disks[serial][key] for key in ("id", "model", "serial", "size_bytes")}
            for serial in self.serials()[:count]
        ]
        path = folder / "tank.json"
        plan = {"version": 1, "name": "tank", "level": level, "members": members, **more}
        path.write_text(json.dumps(plan), encoding="utf-8")
        self.call("build", str(path), "--yes-name", "tank")
        self.sh("mdadm --wait /dev/md/tank; true")
        self.sh(FILES, kind, str(file_mib))

    def read_back(self) -> None:
        """Compare the files with their checksums, from the disks; raises MachineError if one differs."""
        self.sh(_READ)

    def start_anew(self) -> None:
        """Stop the array and start it by mdadm, of all disks that say that they are its; raises MachineError."""
        self.sh(_STARTED_ANEW)

    def shape(self) -> tuple[str, int, int]:
        """Return level, members and sectors, as the kernel has them."""
        words = self.sh(
            "cd /sys/block/$(basename $(readlink -f /dev/md/tank)); cat md/level md/raid_disks size"
        ).split()
        return words[0], int(words[1]), int(words[-1])

    def space_mib(self) -> int:
        """Return the size of the file system."""
        return int(self.sh(f"df --output=size --block-size=1M {PLACE} | tail -1"))

    def leave(self) -> None:
        """Remove the array, and everything from the disks."""
        self.sh(_LEAVE)


def sectors_of(shown: Any) -> int:
    """Return the sectors that a dry run promises."""
    return int(shown["after"]["array_sectors"])


def commands_of(shown: Any) -> Sequence[str]:
    """Return the commands of a dry run."""
    return [command for step in shown["steps"] for command in step["command"]]
