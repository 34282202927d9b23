"""md's background actions on a running array: values of ``sync_action``.

Source: the kernel's ``Documentation/admin-guide/md.rst``.
"""

from __future__ import annotations

# "" is for an array without redundancy, which has no such file; "frozen" is suspended, and idle as well.
IDLE = ("", "idle", "frozen")
