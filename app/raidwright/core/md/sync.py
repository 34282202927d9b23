"""md's background actions on a running array: values of ``sync_action``.

Source: the kernel's ``Documentation/admin-guide/md.rst``.
"""

from __future__ import annotations

# "" is for an array without redundancy, which has no such file; "frozen" is suspended, and idle as well.
IDLE = ("", "idle", "frozen")
PAUSABLE = frozenset({"resync", "recover", "reshape"})  # a check is stopped instead, and begins where it was

PAUSED_KIB_S = 1  # the lowest limit that md takes (sync_speed_max), which is how its work is paused
NO_LIMIT_KIB_S = 2**32 - 1  # the system's own


def limit_kib_s(mb_s: int) -> int:
    """Return the limit in md's unit (KiB/s) for ``mb_s`` (MB/s)."""
    return max(PAUSED_KIB_S + 1, mb_s * 1_000_000 // 1024)
