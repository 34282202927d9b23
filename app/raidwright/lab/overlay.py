"""Files that a lab adds to its root image at each boot: its agent, its settings, and the installed helper package.

A tar that the guest sees as its second disk and unpacks over its root before systemd starts.
"""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from raidwright import helper_package
from raidwright.resources import PACKAGE, resource

_CODE = "usr/lib/raidwright-lab"
_UNITS = "etc/systemd/system"
_MODULES = (
    "lab/disks/__init__.py", "lab/disks/disk.py", "lab/disks/timing.py", "lab/relay.py", "lab/wire.py",
    "lab/guest/__init__.py", "lab/guest/agent.py", "lab/guest/callers.py", "lab/guest/disks.py", "lab/guest/sasl.py",
)  # fmt: skip
_FILES = {
    "lab/guest/raidwright-lab.service": f"{_UNITS}/raidwright-lab.service",
    "lab/guest/raidwright-lab.rules": "etc/polkit-1/rules.d/00-raidwright-lab.rules",
    "lab/guest/raidwright-lab-udev.rules": "etc/udev/rules.d/61-raidwright-lab.rules",
    "lab/guest/machine-id": "etc/machine-id",
    "lab/guest/coldplug.conf": f"{_UNITS}/systemd-udev-trigger.service.d/raidwright-lab.conf",
    "lab/guest/raidwright-lab-modules.conf": "etc/modules-load.d/raidwright-lab.conf",
}
_EMPTY = (f"{_CODE}/raidwright/__init__.py", f"{_CODE}/raidwright/lab/__init__.py")

_LINKS = {
    f"{_UNITS}/default.target": "/lib/systemd/system/multi-user.target",
    f"{_UNITS}/sysinit.target.wants/raidwright-lab.service": f"/{_UNITS}/raidwright-lab.service",
}


_OF_AN_INSTALLED_SYSTEM = (
    "system-generators/systemd-fstab-generator",
    "system/mdcheck_continue.timer",
    "system/mdcheck_start.timer",
    "system/mdmonitor-oneshot.timer",
)


def write_overlay(path: Path, more: Mapping[str, str] | None = None, *, starts_all: bool = False) -> None:
    """Write the tar to ``path``, with the texts of ``more`` under their paths.

    Unless the machine ``starts_all``, fstab's mounts and md's timers are masked.
    """
    with tarfile.open(path, "w") as tar, tempfile.TemporaryDirectory() as directory:
        for target, source in _contents().items():
            _add(tar, target, source.read_bytes() if source else b"")
        for target, text in (more or {}).items():
            _add(tar, target, text.encode())
        masked = set(resource("lab/guest/masked").read_text().split())
        masked -= set(_OF_AN_INSTALLED_SYSTEM if starts_all else ())
        for target, destination in [
            *_LINKS.items(),
            *((f"etc/systemd/{path}", "/dev/null") for path in sorted(masked)),
        ]:
            entry = tarfile.TarInfo(target)
            entry.type, entry.linkname = tarfile.SYMTYPE, destination
            tar.addfile(entry)
        helper_package.install(Path(directory))
        for entry_path in sorted(Path(directory).rglob("*")):
            tar.add(entry_path, entry_path.relative_to(directory), recursive=False, filter=_owned_by_root)


def _contents() -> dict[str, Path | None]:
    modules = {f"{_CODE}/raidwright/{name}": PACKAGE / name for name in _MODULES}
    files = {target: resource(name) for name, target in _FILES.items()}
    return {**modules, f"{_CODE}/__main__.py": PACKAGE / "lab/guest/entry.py", **files, **dict.fromkeys(_EMPTY)}


def _add(tar: tarfile.TarFile, target: str, content: bytes) -> None:
    entry = tarfile.TarInfo(target)
    entry.size, entry.mode = len(content), 0o644
    tar.addfile(entry, io.BytesIO(content))


def _owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry
