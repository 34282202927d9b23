"""What a lab adds to its root image at each boot: its agent, its trims, and the helper as its package installs it.

A tar that the guest sees as its second disk and unpacks over its root before systemd starts.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path

from ..core.errors import MachineError

_HERE = Path(__file__).parent
_PROJECT = _HERE.parents[2]
_CODE = "usr/lib/raidwright-lab"
_MODULES = (
    "disk.py", "relay.py", "wire.py", "guest/__init__.py", "guest/agent.py", "guest/callers.py",
    "guest/disks.py", "guest/sasl.py",
)  # fmt: skip
_FILES = {
    "guest/entry.py": f"{_CODE}/__main__.py",
    "guest/raidwright-lab.service": "etc/systemd/system/raidwright-lab.service",
    "guest/raidwright-lab.rules": "etc/polkit-1/rules.d/00-raidwright-lab.rules",
    "guest/raidwright-lab-sysctl.conf": "etc/sysctl.d/raidwright-lab.conf",
    "guest/raidwright-lab-modules.conf": "etc/modules-load.d/raidwright-lab.conf",
}
_EMPTY = (f"{_CODE}/raidwright/__init__.py", f"{_CODE}/raidwright/lab/__init__.py")

# Nobody logs in, nothing is there to be mounted, checked, cleaned or saved; each of these costs 0.1 to 2 s of boot.
_MASKED = (
    "apt-daily.timer apt-daily-upgrade.timer blk-availability.service console-getty.service dev-hugepages.mount "
    "dev-mqueue.mount dm-event.socket dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer "
    "getty.target kmod-static-nodes.service lvm2-lvmpolld.socket lvm2-monitor.service modprobe@dm_mod.service "
    "modprobe@drm.service modprobe@efi_pstore.service modprobe@fuse.service modprobe@loop.service "
    "proc-sys-fs-binfmt_misc.automount serial-getty@ttyS0.service sys-fs-fuse-connections.mount "
    "sys-kernel-debug.mount sys-kernel-tracing.mount systemd-binfmt.service systemd-fsck-root.service "
    "systemd-journal-flush.service systemd-logind.service systemd-network-generator.service "
    "systemd-pcrphase-sysinit.service systemd-pcrphase.service systemd-pstore.service systemd-random-seed.service "
    "systemd-remount-fs.service systemd-sysusers.service systemd-tmpfiles-clean.timer "
    "systemd-update-utmp.service systemd-update-utmp-runlevel.service systemd-user-sessions.service"
).split()
_LINKS = {
    "etc/systemd/system/default.target": "/lib/systemd/system/multi-user.target",
    "etc/systemd/system/sysinit.target.wants/raidwright-lab.service": "/etc/systemd/system/raidwright-lab.service",
    **{f"etc/systemd/system/{unit}": "/dev/null" for unit in _MASKED},
}


def write_overlay(path: Path) -> None:
    """Write the tar to ``path``; raises MachineError when the helper can't be installed into it."""
    with tarfile.open(path, "w") as tar, tempfile.TemporaryDirectory() as directory:
        for source, target in _contents():
            _add(tar, target, source.read_bytes() if source else b"")
        for target, destination in _LINKS.items():
            entry = tarfile.TarInfo(target)
            entry.type, entry.linkname = tarfile.SYMTYPE, destination
            tar.addfile(entry)
        _install_helper(Path(directory))
        for entry_path in sorted(Path(directory).rglob("*")):
            tar.add(entry_path, entry_path.relative_to(directory), recursive=False, filter=_owned_by_root)


def _contents() -> list[tuple[Path | None, str]]:
    modules = [(_HERE / name, f"{_CODE}/raidwright/lab/{name}") for name in _MODULES]
    return [*modules, *((_HERE / name, target) for name, target in _FILES.items()), *((None, name) for name in _EMPTY)]


def _add(tar: tarfile.TarFile, target: str, content: bytes) -> None:
    entry = tarfile.TarInfo(target)
    entry.size, entry.mode = len(content), 0o644
    tar.addfile(entry, io.BytesIO(content))


def _install_helper(directory: Path) -> None:
    installer = _PROJECT / "packaging" / "install-helper"
    if not installer.exists():
        return
    done = subprocess.run([installer, directory], capture_output=True, text=True, check=False)
    if done.returncode:
        raise MachineError(f"The helper can't be installed: {done.stderr.strip()}", code="helper")


def _owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry
