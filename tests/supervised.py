"""``python -m tests.supervised COMMAND …``: whatever the command starts ends with it, also when it is interrupted.

Interrupted by a key, by make, or because make is gone, it gives the command time to tidy up. Daemons that left their
process group become its children (PR_SET_CHILD_SUBREAPER), so none is missed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

_SET_PDEATHSIG, _SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_TIDY_SECONDS = 30
_LEFT_SECONDS = 10.0  # a practice machine notices by itself that whoever started it is gone
_INTERRUPTED = 130


def main(argv: list[str]) -> int:
    """Run the command; return its exit code, or that of an interrupt."""
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    tied = ["setpriv", "--pdeathsig", "TERM", *argv]
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    # A group of its own hears of an interrupt once, from here; in the background of a script nobody else may hear it.
    child = os.posix_spawnp(tied[0], tied, os.environ, setpgroup=0, setsigdef=ends)
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        if not interrupted:
            interrupted = True
            _kill_group(child, signal.SIGINT)
            signal.alarm(_TIDY_SECONDS)

    for end in ends:
        signal.signal(end, interrupt)
    signal.signal(signal.SIGALRM, lambda *_: _kill_group(child, signal.SIGKILL))
    status = next(status for pid, status in _ended() if pid == child)
    signal.alarm(0)
    _end_the_rest()
    code = os.waitstatus_to_exitcode(status)
    return _INTERRUPTED if interrupted else code if code >= 0 else 128 - code


def _ended() -> Iterator[tuple[int, int]]:
    while True:
        yield os.wait()


def _kill_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def _end_the_rest() -> None:
    """Wait for what is left, then end it."""
    end = time.monotonic() + _LEFT_SECONDS
    while _reap() and time.monotonic() < end:
        time.sleep(0.05)
    while _reap():
        for pid in _descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def _reap() -> bool:
    """Take the children that have ended; return whether there are others."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _descendants() -> list[int]:
    children = defaultdict[int, list[int]](list)
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            parent = int((folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
            children[parent].append(int(folder.name))
    found = [os.getpid()]
    for pid in found:
        found += children[pid]
    return found[1:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
