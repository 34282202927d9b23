"""Arrays that are lost on purpose in a practice machine, and rescued by the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.lab.machine import Lab

_CLEAN = """umount -q -A /mnt/a; for array in /dev/md[0-9]*; do umount -q -A $array; done; udevadm settle
udevadm control --stop-exec-queue; mdadm --quiet --stop --scan
dd if=/dev/zero of=/dev/sdb bs=1M count=60 oflag=direct status=none  # readable again
for disk in /dev/sd[a-f]; do mdadm --quiet --zero-superblock $disk; wipefs -qa $disk; blkdiscard -fz $disk; done
udevadm control --start-exec-queue; udevadm trigger --settle --subsystem-match=block; rm -f /run/sums; true"""
# Many files in many folders, and chunks of 64 KiB: a check reads from every disk, so that it sees a wrong order
_FILL = """set -e; udevadm settle; mkfs.ext4 -q -F /dev/md/tank; mkdir -p /mnt/a; mount /dev/md/tank /mnt/a; cd /mnt/a
python3 -c 'import os
for number in range(600):
    folder = f"photos/{number % 40}"; os.makedirs(folder, exist_ok=True)
    open(f"{folder}/{number}", "wb").write(os.urandom(40_000))'
cd /; sync; (cd /mnt/a; find photos -type f -exec md5sum {} +) > /run/sums
(cd /mnt/a; find photos -type f -exec sha256sum {} +) > /run/sums256; umount /mnt/a; udevadm settle"""
_STOP = "udevadm settle; mdadm --quiet --stop --scan; udevadm settle; mdadm --quiet --stop --scan; true"
_DISKS = "sync; echo 3 > /proc/sys/vm/drop_caches; md5sum /dev/sd[a-f]"


class LostArray:
    """Disks of ``lab`` on which arrays are made, lost and rescued."""

    def __init__(self, lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
        self.lab = lab
        self._capsys = capsys

    def sh(self, script: str) -> str:
        """Return the output of a shell script in the guest."""
        return self.lab.exec(["sh", "-c", script]).stdout.decode().strip()

    def build(self, letters: str, *options: str, level: str = "raid5") -> None:
        """Make ``tank`` of these disks, with 40 MB of checksummed files, and stop it."""
        disks = " ".join(f"/dev/sd{letter}" for letter in letters)
        self.sh(
            f"mdadm --quiet --create --run /dev/md/tank --level={level} --raid-devices={len(letters)} --assume-clean "
            f"--chunk=64 {' '.join(options)} {disks}"
        )
        self.sh(_FILL)
        self.stop()

    def stop(self) -> None:
        """Stop every array."""
        self.sh(_STOP)

    def wipe(self, letters: str) -> None:
        """Remove the superblocks of these disks."""
        self.sh(f"mdadm --zero-superblock {' '.join(f'/dev/sd{letter}' for letter in letters)}; udevadm settle")
        self.stop()

    def clean(self) -> None:
        """Leave the disks blank."""
        self.sh(_CLEAN)

    def checksums(self) -> str:
        """Return the checksums of all whole disks."""
        return self.sh(_DISKS)

    def serial(self, letter: str) -> str:
        """Return the serial number of a disk."""
        return self.sh(f"lsblk --nodeps --noheadings --output=SERIAL /dev/sd{letter}").strip()

    def run(self, *words: str, is_refused: bool = False, disks: str = "") -> Any:
        """Return the JSON of ``raidwright array rescue``, or the sentence of its refusal."""
        named = [self.serial(letter) for letter in disks]
        status = main(["array", "rescue", *named, *words, "--machine", f"lab:{self.lab.name}", "--json"])
        out, err = self._capsys.readouterr()
        assert (status != 0) == is_refused, err
        return err.splitlines()[-1] if is_refused else json.loads(out)

    def command(self, *words: str) -> Any:
        """Return the JSON of another command."""
        assert main([*words, "--machine", f"lab:{self.lab.name}", "--json"]) == 0
        return json.loads(self._capsys.readouterr().out)

    def refused(self, *words: str) -> str:
        """Return the sentence by which another command is refused."""
        assert main([*words, "--machine", f"lab:{self.lab.name}"]) != 0
        return self._capsys.readouterr().err.splitlines()[-1]

    def rescue(self, number: int, *words: str, disks: str = "", name: str = "tank", is_tried: bool = False) -> Any:
        """Try hypothesis ``number`` and do it for real; assert that the disks stay unchanged until then."""
        before = self.checksums()
        if not is_tried:
            refused = self.run(*words, "--for-real", str(number), "--yes-name", name, disks=disks, is_refused=True)
            assert "Try it on overlays first" in refused
        tried = self.run(*words, "--try", str(number), disks=disks)
        assert self.checksums() == before
        self.verify_gone()
        assert tried["verdict"] == "good", tried
        self.verify_digests(tried)
        done = self.run(*words, "--for-real", str(number), "--yes-name", name, disks=disks)
        self.verify_files(done["mounted_at"])
        return done

    def put_away(self, name: str = "tank") -> None:
        """Unmount the rescued array and stop it, by the commands that its owner has."""
        self.command("filesystem", "unmount", name)
        self.command("array", "stop", name, "--yes-name", name)

    def verify_digests(self, tried: Any) -> None:
        """Assert that files that the trial read are the files that were written."""
        read = {file["path"]: file["sha256"] for file in tried["files"] if file["sha256"] not in ("-", "!")}
        assert len(read) > 10
        sums = dict(line.split("  ")[::-1] for line in self.sh("cat /run/sums256").splitlines())
        assert {path: sums.get(path) for path in read if path.startswith("photos/")} == {
            path: digest for path, digest in read.items() if path.startswith("photos/")
        }

    def verify_files(self, place: str) -> None:
        """Assert that all files are as they were written, where the rescue says that they are mounted."""
        assert place.startswith("/mnt/")
        self.sh(f"cd {place}; md5sum --quiet --check /run/sums")

    def verify_gone(self) -> None:
        """Assert that nothing of a trial is left."""
        left = self.sh(
            "ls /sys/block | grep -E 'dm-|md'; ls /var/lib/raidwright/rescue | grep img; losetup --list; true"
        )
        assert not left, left

    def order(self, letters: Sequence[str]) -> list[str]:
        """Return the disks' serials."""
        return [self.serial(letter) for letter in letters]
