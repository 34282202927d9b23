"""The practice machine's disks: SCSI disks that LIO makes of sparse files in a tmpfs.

Disks whose physical sectors are larger than their logical ones (512e) are made of brd's memory instead, because
LIO reports a physical size only for what lies on a block device (target_core_iblock.c, iblock_get_lbppbe). Disks
that outlive the guest are made of its kernel's own (see ``store``). Both go through device-mapper, as ``lab-SERIAL``.

``add`` reads a JSON list of disks (the fields of ``LabDisk``) from standard input, makes them and gives each its
use; ``pull SERIAL`` takes one away as a pulled cable would; ``keep DEVICE`` has the helper's files on a disk.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from raidwright.lab.disk import DiskUse, LabDisk

_STORE = Path("/run/raidwright-lab/disks")
_TARGET = Path("/sys/kernel/config/target")
_FILES = _TARGET / "core/fileio_0"
_DEVICES = _TARGET / "core/iblock_0"
_PORT = _TARGET / "loopback/naa.5000c500a1b2c3d4/tpgt_1"
_HELPERS_FILES = Path("/var/lib/raidwright")
_BRD_MAJOR = 1  # Linux's devices.txt: 1 block, RAM disk
_BRD_KIB = 24 * 10**12 // 1024  # each of brd's disks; device-mapper cuts it to size
_MODULES = ("target_core_mod", "target_core_file", "tcm_loop", "sd_mod", "md_mod")
# A new raid5's first recovery writes a whole member; at md's default limit it would fill the guest's memory with 8 TB
# of zeros within minutes. Slow, it shows a resync that runs and costs 4 MB a second.
_RESYNC_KIB_PER_SECOND = 4000
# The first three bytes of a WWN say who made the disk.
_OUI = {"WDC": 0x0014EE, "Seagate": 0x000C50, "TOSHIBA": 0x000039, "Samsung": 0x002538}


def add(text: str) -> None:
    """Make the disks that ``text`` (JSON) lists."""
    _start_target()
    disks = [LabDisk(**{**fields, "use": DiskUse(fields["use"])}) for fields in json.loads(text)]
    devices = [_plug_in(disk) for disk in disks]
    _run("udevadm", "settle")
    for disk, device in zip(disks, devices, strict=True):
        if disk.use is not DiskUse.NOTHING:
            _prepare(disk, device)
            _run("udevadm", "settle")


def pull(serial: str) -> None:
    """Take the disk away without a word to whoever uses it; raises FileNotFoundError for an unknown serial."""
    lun = next((link.parent for link in _PORT.glob("lun/lun_*/*") if link.name == serial), None)
    if lun is None:
        raise FileNotFoundError(f"no disk has the serial {serial}")
    (_scsi_device(lun) / "delete").write_text("1")
    backing = (lun / serial).resolve()
    (lun / serial).unlink()
    lun.rmdir()
    backing.rmdir()
    (_STORE / serial).unlink()
    if backing.parent == _DEVICES:
        _run("dmsetup", "remove", _mapped(serial))  # brd keeps what was written until the lab ends


def keep(device: str) -> None:
    """Have /var/lib/raidwright on ``device``, with a file system of its own the first time."""
    if subprocess.run(("/usr/sbin/blkid", device), capture_output=True, check=False).returncode:
        _run("mkfs.ext4", "-q", device)
    _HELPERS_FILES.mkdir(mode=0o700, exist_ok=True)
    _run("mount", device, str(_HELPERS_FILES))


def _start_target() -> None:
    if _PORT.exists():
        return
    if missing := [name for name in _MODULES if not (Path("/sys/module") / name).exists()]:
        _run("modprobe", "-a", *missing)
    Path("/proc/sys/dev/raid/speed_limit_max").write_text(str(_RESYNC_KIB_PER_SECOND))
    if not _TARGET.exists():
        _run("mount", "-t", "configfs", "none", "/sys/kernel/config")
    _STORE.mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", "size=90%,mode=0700", "none", str(_STORE))
    _FILES.mkdir(parents=True)
    _PORT.mkdir(parents=True)
    (_PORT / "nexus").write_text("naa.5000c500a1b2c3d5")


def _plug_in(disk: LabDisk) -> Path:
    is_512e = disk.physical_sector_bytes > disk.logical_sector_bytes
    backing = _back_with_device(disk) if is_512e or disk.backing else _back_with_file(disk)
    (backing / "wwn/vendor_id").write_text(disk.vendor)
    (backing / "wwn/product_id").write_text(disk.model)
    (backing / "wwn/company_id").write_text(str(_OUI.get(disk.vendor, 0)))
    (backing / "enable").write_text("1")
    (backing / "wwn/vpd_unit_serial").write_text(disk.serial)
    (backing / "attrib/block_size").write_text(str(disk.logical_sector_bytes))  # "enable" would reset it
    (backing / "attrib/is_nonrot").write_text("0" if disk.is_rotational else "1")
    taken = {path.name for path in (_PORT / "lun").iterdir()}
    lun = _PORT / "lun" / next(f"lun_{n}" for n in range(len(taken) + 1) if f"lun_{n}" not in taken)
    lun.mkdir()
    (lun / disk.serial).symlink_to(backing)
    return _device(lun)


def _back_with_file(disk: LabDisk) -> Path:
    store = _STORE / disk.serial
    with store.open("xb") as file:
        file.truncate(disk.size_bytes)
    backing = _FILES / disk.serial
    backing.mkdir()
    # Buffered: writes are as fast as memory, and nothing has to survive a power cut.
    control = f"fd_dev_name={store},fd_dev_size={disk.size_bytes},fd_buffered_io=1"
    (backing / "control").write_text(control)
    return backing


def _back_with_device(disk: LabDisk) -> Path:
    (_STORE / disk.serial).touch(exist_ok=False)  # the store lists every disk
    _run("modprobe", "-a", "target_core_iblock", "dm_mod")
    table = f"0 {disk.size_bytes // 512} linear {disk.backing or _memory()} 0"
    _run("dmsetup", "create", _mapped(disk.serial), "--table", table)
    backing = _DEVICES / disk.serial
    backing.mkdir(parents=True)
    (backing / "control").write_text(f"udev_path=/dev/mapper/{_mapped(disk.serial)}")
    return backing


def _memory() -> str:
    _run("modprobe", "brd", "rd_nr=0", "max_part=0", f"rd_size={_BRD_KIB}")
    number = len(list(Path("/sys/block").glob("ram*")))  # brd makes the next one when it is first opened
    return f"{_BRD_MAJOR}:{number}"


def _mapped(serial: str) -> str:
    return f"lab-{serial}"


def _scsi_device(lun: Path) -> Path:
    number = lun.name.removeprefix("lun_")
    found = [path for path in Path("/sys/bus/scsi/devices").iterdir() if path.name.endswith(f":{number}")]
    return next(path for path in found if path.name.count(":") == 3)  # H:C:T:L


def _device(lun: Path) -> Path:
    """The disk's device node, once sd has probed it."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if names := [path.name for path in _scsi_device(lun).glob("block/*")]:
            return Path("/dev") / names[0]
        time.sleep(0.01)
    raise TimeoutError(f"{lun.name} has no block device")


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
    """``add``, ``list``, ``pull SERIAL`` or ``keep DEVICE``."""
    match arguments:
        case ["add"]:
            add(sys.stdin.read())
        case ["list"]:
            print("\n".join(sorted(path.name for path in _STORE.glob("*"))))
        case ["pull", serial]:
            pull(serial)
        case ["keep", device]:
            keep(device)
        case _:
            sys.exit("usage: disks add|list|pull SERIAL|keep DEVICE")
