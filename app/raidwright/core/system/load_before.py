"""Load of a computer before a measurement, which would slow it down: waiting for a processor, and disks in use.

The kernel's pressure stall information (``Documentation/accounting/psi.rst``, since Linux 4.20) gives the time, as a
``total`` in µs, in which at least one process waited for a processor. It is absent where the kernel is without PSI.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from raidwright.core.messages import Message, say

PRESSURE = "proc/pressure/cpu"
LOOK_SECONDS = 0.3
WAITING, HOST_WAITING, DISKS_BUSY = "waiting_percent", "host_waiting_percent", "disks_busy_percent"
_BUSY = 0.3  # an idle desktop's are below 0.1
_TOTAL = re.compile(r"^some .*\btotal=(\d+)", re.MULTILINE | re.ASCII)


def waited_us(text: str) -> int | None:
    """Return the total of ``/proc/pressure/cpu``; None if it gives none."""
    match = _TOTAL.search(text)
    return None if match is None else int(match[1])


def percent(before: int, after: int, passed: float) -> str:
    """Return the share of the time ``passed`` that a counter of the same unit ran, in percent."""
    return f"{min(100.0, max(0.0, 100 * (after - before) / passed)):.0f}" if passed else "0"


def busy_with(told: Mapping[str, object]) -> Message | None:
    """Return what the computer was busy with, from a run's surroundings; None if it was about idle, or isn't known."""
    waited, used = max(_share(told, WAITING), _share(told, HOST_WAITING)), _share(told, DISKS_BUSY)
    if waited >= _BUSY:
        return say("the computer was busy: {share:.0%} of the time something waited for a processor", share=waited)
    if used >= _BUSY:
        return say("the disks were in use: busy {share:.0%} of the time before", share=used)
    return None


def _share(told: Mapping[str, object], name: str) -> float:
    percent = str(told.get(name, ""))
    return int(percent) / 100 if percent.isascii() and percent.isdecimal() else 0.0
