"""The machine's own facts that decide about arrays: its name, its kernel, its mdadm, and mdadm.conf's HOMEHOST."""

from __future__ import annotations

import re

from raidwright.core.errors import JobFailed
from raidwright.core.json_fields import printable
from raidwright.core.protocol.facts import HostFacts

from . import md
from .host import Host

_HOMEHOST = re.compile(r"^\s*HOMEHOST\s+(\S+)", re.IGNORECASE | re.MULTILINE)
_CONF = ("etc/mdadm/mdadm.conf", "etc/mdadm.conf")


async def examine_host(host: Host) -> HostFacts:
    """Return the machine's facts; "" for what can't be read. No device is opened."""
    try:
        mdadm = str(await md.mdadm_version())
    except JobFailed:
        mdadm = ""
    is_efi = (host.root / "sys/firmware/efi").is_dir()
    return HostFacts(hostname(host), kernel_release(host), mdadm, _homehosts(host), is_efi)


def hostname(host: Host) -> str:
    """Return the machine's name, as the kernel has it; "" if it can't be read."""
    return _text(host, "proc/sys/kernel/hostname")


def kernel_release(host: Host) -> str:
    """Return the running kernel's release ("6.12.9-amd64"); "" if it can't be read."""
    return _text(host, "proc/sys/kernel/osrelease")


def _homehosts(host: Host) -> tuple[str, ...]:
    """Return the names of mdadm.conf's HOMEHOST line; ``<system>`` and its like are none (mdadm.conf(5))."""
    found = [name for path in _CONF for name in _HOMEHOST.findall(_text(host, path))]
    return tuple(dict.fromkeys(printable(name) for name in found if not name.startswith("<")))


def _text(host: Host, path: str) -> str:
    try:
        return (host.root / path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
