"""Time that a practice machine's processes wait for the host's processors: what its figures are too low by.

The scheduler counts it for each process (/proc/PID/schedstat: time run, time ready but waiting, and how often it ran;
kernel Documentation/scheduler/sched-stats.rst), and a virtual host counts what its own host takes ("steal" in
/proc/stat, proc(5)). A busy computer's load average doesn't tell: it counts processes that don't stand in the way.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

BUSY_SHARE = 0.1  # figures are a tenth too low then, or more
# A guest's process and its kernel take turns on one processor: who is woken waits until the other has gone to sleep.
# On an idle host that is half a microsecond a turn, some hundred thousand times a second in a call after another.
_TURN_S = 1e-6
_STEAL = 8  # among the words of /proc/stat's first line


@dataclass(frozen=True, slots=True)
class HostLoad:
    """Sums at ``at_s`` on the host's clock: seconds that each process waited, and those stolen from each processor."""

    at_s: float
    waited_s: tuple[float, ...]
    stolen_s: float = 0.0

    def waited_share(self, since: HostLoad) -> float:
        """Return the share of the time since then that the host kept the machine waiting, 0 to 1."""
        passed_s = self.at_s - since.at_s
        if passed_s <= 0:
            return 0.0
        pairs = zip((*self.waited_s, self.stolen_s), (*since.waited_s, since.stolen_s), strict=True)
        return min(1.0, max(0.0, *((now - then) / passed_s for now, then in pairs)))


class HostWaits:
    """Waits of the processes ``pids``, each of one thread, with their children; the sums never fall.

    A guest's programs are children of its kernel, which sleeps while one runs, or waits to run. What a child waited
    that has ended stays in the sum as it was last seen.
    """

    def __init__(self, pids: Iterable[int], proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._sums = dict.fromkeys(pids, 0.0)
        self._seen: dict[int, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def load(self) -> HostLoad:
        """Return the sums so far; 0 for a process that isn't counted."""
        ticks = (self._proc / "stat").read_text(encoding="ascii").splitlines()[0].split()
        stolen_s = int(ticks[_STEAL]) / os.sysconf("SC_CLK_TCK") / (os.cpu_count() or 1)
        with self._lock:
            for pid in self._sums:
                self._sums[pid] += sum(map(self._waited_since_seen_s, (pid, *_children(self._proc, pid))))
            return HostLoad(time.monotonic(), tuple(self._sums.values()), stolen_s)

    def _waited_since_seen_s(self, pid: int) -> float:
        counted = _counted(self._proc / str(pid) / "schedstat")
        if counted is None:
            return 0.0
        then, self._seen[pid] = self._seen.get(pid, (0, 0)), counted
        if counted < then:  # the number is another process's by now
            then = (0, 0)
        return max(0.0, (counted[0] - then[0]) / 1e9 - (counted[1] - then[1]) * _TURN_S)


def _children(proc: Path, pid: int) -> tuple[int, ...]:
    try:
        return tuple(map(int, (proc / str(pid) / "task" / str(pid) / "children").read_text(encoding="ascii").split()))
    except OSError:
        return ()


def _counted(schedstat: Path) -> tuple[int, int] | None:
    """Return nanoseconds waited, and turns; None once it has ended, or from a kernel without CONFIG_SCHED_INFO."""
    try:
        _, waited_ns, turns = map(int, schedstat.read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return None
    return waited_ns, turns


def is_busy(waited_share: float) -> bool:
    """True if figures of a machine that waited so much don't count."""
    return waited_share > BUSY_SHARE
