"""mdadm's rules by version, held against the mdadm of a practice machine; nothing is created."""

from __future__ import annotations

from raidwright.core.errors import PlanRefused
from raidwright.core.md.mdadm_versions import MdadmVersion
from raidwright.lab.machine import Lab
from raidwright.reading.pasted import read_paste, refuse_options

_NAMES = ("tank", "nas:media", "My Array", "data+1", "v1.0", ".hidden", "a" * 32)
_OPTIONS = (
    "--write-zeroes --assume-clean",
    "--symlinks=yes",
    "--logical-block-size=4096",
    "--write-behind=256",
    "--write-behind=256 --bitmap=internal",
)
_DEVICES = "-l1 -n2 /dev/there-is-no-a /dev/there-is-no-b"
COMMANDS = (
    *(f"mdadm --create /dev/md77 --name='{name}' {_DEVICES}" for name in _NAMES),
    *(f"mdadm --create '/dev/md/{name}' {_DEVICES}" for name in _NAMES if ":" not in name),
    *(f"mdadm --create /dev/md77 {option} {_DEVICES}" for option in _OPTIONS),
    "mdadm --assemble --freeze-reshape /dev/md77 /dev/there-is-no-a",
)


def refused_otherwise(lab: Lab, version: MdadmVersion) -> list[str]:
    """Return the commands that mdadm refuses before it opens a device, and we don't; or the other way round."""
    return [text for text in COMMANDS if _is_refused_by_mdadm(lab, text) is not _is_refused_here(text, version)]


def _is_refused_here(text: str, version: MdadmVersion) -> bool:
    try:
        refuse_options(read_paste(text), version)
    except PlanRefused:
        return True
    return False


def _is_refused_by_mdadm(lab: Lab, text: str) -> bool:
    said = lab.exec(["sh", "-c", f"echo y | {text} 2>&1 || true"]).stdout.decode()
    return "cannot open" not in said
