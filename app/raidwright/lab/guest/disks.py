"""Disk set-up inside the guest: waits for disks to appear and disappear, and prepares their content.

``prepare`` reads a JSON list of disks (the fields of ``LabDisk``) from standard input, waits until they have appeared
and prepares each; ``there SERIAL`` and ``gone SERIAL`` wait; ``keep DEVICE`` mounts a disk for the helper's files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from raidwright.lab.disks.disk import DiskUse, LabDisk, disk_from_json

_HELPERS_FILES = Path("/var/lib/raidwright")
_PATIENCE_SECONDS = 20
_VPD_HEADER_BYTES = 4


def prepare(text: str) -> None:
    """Wait for the disks that ``text`` (JSON) lists, and prepare each for its use."""
    disks = [disk_from_json(fields) for fields in json.loads(text)]
    serials = {disk.serial for disk in disks}
    lacking = f"of {', '.join(sorted(serials))} not all have a block device; {_kernel()}"
    _wait(lambda: serials <= _devices().keys(), lacking)
    _run("udevadm", "settle")
    for disk in disks:
        if disk.use is not DiskUse.NOTHING:
            _prepare(disk, _devices()[disk.serial])
            _run("udevadm", "settle")


def keep(device: str) -> None:
    """Mount ``device`` at /var/lib/raidwright; create its file system the first time."""
    if subprocess.run(("/usr/sbin/blkid", device), capture_output=True, check=False).returncode:
        _run("mkfs.ext4", "-q", device)
    _HELPERS_FILES.mkdir(mode=0o700, exist_ok=True)
    _run("mount", device, str(_HELPERS_FILES))


def _kernel() -> str:
    """Return the kernel that runs, and whether it has its modules: without them no disk appears."""
    release = os.uname().release
    has_modules = Path("/usr/lib/modules", release).is_dir()
    return f"Linux {release} runs" + ("" if has_modules else ", and its modules aren't here")


def _devices() -> dict[str, Path]:
    """Return the disks' device nodes by serial number (VPD page 80h)."""
    found = {}
    for block in Path("/sys/block").glob("sd*"):
        try:
            page = (block / "device/vpd_pg80").read_bytes()
        except OSError:
            continue  # appearing or disappearing
        found[page[_VPD_HEADER_BYTES:].decode()] = Path("/dev") / block.name
    return found


def _wait(holds: Callable[[], bool], otherwise: str) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > until:
            sys.exit(otherwise)
        time.sleep(0.01)


def _prepare(disk: LabDisk, device: Path) -> None:
    match disk.use:
        case DiskUse.GPT:
            _run("sfdisk", "--quiet", str(device), stdin="label: gpt\n,\n")
        case DiskUse.EXT4:
            _format(device)
        case DiskUse.MOUNTED:
            _format(device)
            mount_point = Path("/srv") / disk.serial
            mount_point.mkdir()
            _run("mount", str(device), str(mount_point))
        case DiskUse.LVM:
            _run("pvcreate", "--quiet", str(device))
            _run("vgcreate", "--quiet", f"vg_{disk.serial}", str(device))
        case DiskUse.MD:
            argv = ["mdadm", "--create", f"/dev/md/old_{disk.serial}", "--run", "--level=1", "--raid-devices=2"]
            _run(*argv, "--bitmap=none", str(device), "missing")


def _format(device: Path) -> None:
    # Whole-disk ext4 that leaves nearly all of a sparse disk unwritten.
    lazy = "lazy_itable_init=1,lazy_journal_init=1,nodiscard,packed_meta_blocks=1"
    _run("mkfs.ext4", "-q", "-F", "-T", "largefile4", "-E", lazy, "-J", "size=4", str(device))


def _run(*argv: str, stdin: str = "") -> None:
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(argv)}: {done.stderr or done.stdout}")


def main(arguments: list[str]) -> None:
    """``prepare``, ``there SERIAL``, ``gone SERIAL`` or ``keep DEVICE``."""
    match arguments:
        case ["prepare"]:
            prepare(sys.stdin.read())
        case ["there", serial]:
            _wait(lambda: serial in _devices(), f"{serial} doesn't come")
            _run("udevadm", "settle")
        case ["gone", serial]:
            _wait(lambda: serial not in _devices(), f"{serial} doesn't go")
        case ["keep", device]:
            keep(device)
        case _:
            sys.exit("usage: disks prepare|there SERIAL|gone SERIAL|keep DEVICE")
