"""What a lab adds to its root image at each boot: its agent, its trims, and the helper as its package installs it.

A tar that the guest sees as its second disk and unpacks over its root before systemd starts.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path

from raidwright.core.errors import MachineError

_HERE = Path(__file__).parent
_PROJECT = _HERE.parents[2]
_CODE = "usr/lib/raidwright-lab"
_UNITS = "etc/systemd/system"
_MODULES = (
    "disks/__init__.py", "disks/disk.py", "relay.py", "wire.py",
    "guest/__init__.py", "guest/agent.py", "guest/callers.py", "guest/disks.py", "guest/sasl.py",
)  # fmt: skip
_FILES = {
    "guest/entry.py": f"{_CODE}/__main__.py",
    "guest/raidwright-lab.service": f"{_UNITS}/raidwright-lab.service",
    "guest/raidwright-lab.rules": "etc/polkit-1/rules.d/00-raidwright-lab.rules",
    "guest/raidwright-lab-udev.rules": "etc/udev/rules.d/61-raidwright-lab.rules",
    "guest/machine-id": "etc/machine-id",
    "guest/coldplug.conf": f"{_UNITS}/systemd-udev-trigger.service.d/raidwright-lab.conf",
    "guest/raidwright-lab-modules.conf": "etc/modules-load.d/raidwright-lab.conf",
}
_EMPTY = (f"{_CODE}/raidwright/__init__.py", f"{_CODE}/raidwright/lab/__init__.py")

_LINKS = {
    f"{_UNITS}/default.target": "/lib/systemd/system/multi-user.target",
    f"{_UNITS}/sysinit.target.wants/raidwright-lab.service": f"/{_UNITS}/raidwright-lab.service",
}


def write_overlay(path: Path) -> None:
    """Write the tar to ``path``; raises MachineError when the helper can't be installed into it."""
    with tarfile.open(path, "w") as tar, tempfile.TemporaryDirectory() as directory:
        for source, target in _contents():
            _add(tar, target, source.read_bytes() if source else b"")
        masked = (_HERE / "guest/masked").read_text().split()
        for target, destination in [*_LINKS.items(), *((f"etc/systemd/{path}", "/dev/null") for path in masked)]:
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
    done = subprocess.run([installer, directory], capture_output=True, text=True, check=False)
    if done.returncode:
        raise MachineError(f"The helper can't be installed: {done.stderr.strip()}", code="helper")


def _owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry
