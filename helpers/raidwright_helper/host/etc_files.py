"""The files of /etc that name arrays, written by a systemd unit of its own: to the service itself /etc is read-only.

The unit (``outside``) runs `PROGRAM` for one file and ends. It has no device, no capability and no socket, knows three
kinds of files, and gets the file's new content on its standard input. Replacing fstab by a rename needs its folder, so
/etc is writable there, except for the files on accounts and permissions.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError, JobFailed, RaidwrightError
from raidwright.core.json_fields import Fields, loads_strictly

from raidwright_helper.host import system_files
from raidwright_helper.host.mdadm_files import ONE_OF_THEM
from raidwright_helper.host.outside import unit_argv

from .runner import run

PROGRAM = "/usr/libexec/raidwright-etc"
FSTAB = "/etc/fstab"
_RULES = r"/etc/udev/rules\.d/90-raidwright-[0-9a-f]{8}(-[0-9a-f]{8}){3}\.rules"
_KNOWN = re.compile("|".join((ONE_OF_THEM.pattern, re.escape(FSTAB), _RULES)))
_SECONDS = 60.0
_READ_ONLY = (
    "passwd", "group", "shadow", "gshadow", "sudoers", "sudoers.d", "pam.d", "security", "polkit-1", "dbus-1", "ssh",
    "ssl", "apt", "systemd", "init.d", "cron.d", "cron.daily", "cron.hourly", "cron.monthly", "cron.weekly", "crontab",
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "modprobe.d", "modules-load.d", "initramfs-tools",
    "profile", "profile.d", "bash.bashrc", "environment", "hosts", "nsswitch.conf", "resolv.conf", "sysctl.d",
    "tmpfiles.d",
)  # fmt: skip
_PROPERTIES = (
    "ReadWritePaths=/etc",
    f"ReadOnlyPaths={' '.join(f'-/etc/{name}' for name in _READ_ONLY)}",
    "PrivateDevices=yes",
    "RestrictAddressFamilies=AF_UNIX",
    "RestrictNamespaces=yes",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service",
)


@dataclass(frozen=True, slots=True)
class FileOrder:
    """A file and its new content; ``text`` None: remove the file."""

    path: str
    text: str | None
    mode: int


class EtcFiles(Protocol):
    """Writer of a file of /etc; raises JobFailed, with the old content still there."""

    async def put(self, order: FileOrder, /) -> None: ...


class ByUnit:
    """Writer for a real machine, by a systemd unit."""

    async def put(self, order: FileOrder) -> None:
        """Run the unit."""
        argv = unit_argv((PROGRAM,), capabilities="", more=_PROPERTIES)
        try:
            await to_the_end(run(argv, limit_s=_SECONDS, given=json.dumps(asdict(order)).encode()))
        except JobFailed as error:
            raise JobFailed(
                "{path} can't be written: {sentence}", code="file-write", path=order.path, sentence=error.sentence
            ) from error


@dataclass(frozen=True, slots=True)
class Below:
    """Writer for a host made of files, whose root is ``root``."""

    root: Path

    async def put(self, order: FileOrder) -> None:
        """Write the file directly."""
        _write(self.root / order.path.lstrip("/"), order)


def _write(path: Path, order: FileOrder) -> None:
    if order.text is None:
        system_files.remove(path)
    else:
        system_files.replace(path, order.text, mode=order.mode)


def _read_order(text: str) -> FileOrder:
    fields = Fields(loads_strictly(text, "the order"), "the order")
    path, mode = fields.require("path", str), fields.count("mode")
    content = fields.take("text", str)
    fields.finish()
    return FileOrder(path, content, mode)


def main() -> int:
    """Entry point of the unit: write the file that standard input orders; return the exit code."""
    try:
        order = _read_order(sys.stdin.read())
        if not _KNOWN.fullmatch(order.path):
            raise JobFailed("{path} is none of the files that Raidwright writes.", code="file-unknown", path=order.path)
        _write(Path(order.path), order)
    except InputError as error:
        print(f"error: {error}; the helper runs this, nobody else", file=sys.stderr)
        return 2
    except (OSError, RaidwrightError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0
