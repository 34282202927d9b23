"""What md does by itself with an array that runs: its words in ``sync_action``.

Source: the kernel's ``Documentation/admin-guide/md.rst``.
"""

from __future__ import annotations

# "" is said of an array without redundancy, which has no such file; "frozen" is held still, and does nothing either.
IDLE = ("", "idle", "frozen")
