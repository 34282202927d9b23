"""Disks of a practice machine blanked, so that the helper finds nothing on them.

A test that leaves bytes on disks would otherwise have the next one refused (``raidwright_helper.host.unknown``).
"""

from __future__ import annotations

_CLEAR = """import os, sys
from raidwright_helper.host.unknown import clear
for node in sys.argv[1:]:
    disk = os.open(node, os.O_RDWR)
    clear(disk, os.lseek(disk, 0, os.SEEK_END))
    os.close(disk)"""


def blank(disks: str) -> str:
    """Return the shell command that zeroes ``disks``, shell words such as ``/dev/sd[a-d]``, which must be unused."""
    return f"PYTHONPATH=/usr/lib/raidwright python3 -c '{_CLEAR}' {disks}"
