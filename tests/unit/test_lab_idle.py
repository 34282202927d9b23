"""A practice machine's idle kernel: events at that moment aren't missed, and a lost alarm is repeated."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time

import pytest
from raidwright.lab.compiled import clock_library, idle_library

_ASKED = 100
_WAITED_SECONDS = 1


def _said(what: str, *preloaded: str, pace: float = 1) -> str:
    environment = {**os.environ, "LD_PRELOAD": ":".join(preloaded), "RAIDWRIGHT_PACE": str(pace)}
    return subprocess.run(
        [sys.executable, __file__, what], capture_output=True, text=True, check=True, env=environment
    ).stdout


def test_a_timer_that_is_not_set_however_often_it_is_asked_for_rings_all_the_same() -> None:
    assert _said("alarm") == "silent"
    assert _said("alarm", str(idle_library())) == "rings"


@pytest.mark.parametrize("pace", [1 / 4, 60])
def test_it_does_at_another_pace(pace: float) -> None:
    assert _said("alarm", str(idle_library()), str(clock_library()), pace=pace) == "rings"


def test_an_event_from_before_the_sleep_ends_it() -> None:
    assert _said("event") == "slept until the alarm"
    assert _said("event", str(idle_library())) == "saw it at once"


def test_without_one_the_alarm_ends_it() -> None:
    assert _said("nothing", str(idle_library())) == "slept until the alarm"


def test_what_is_awake_for_a_while_sleeps_in_the_end() -> None:
    """In very slow motion, in which it doesn't sleep at once."""
    libraries = str(idle_library()), str(clock_library())
    assert _said("event", *libraries, pace=1 / 64) == "saw it at once"
    assert _said("nothing", *libraries, pace=1 / 64) == "slept until the alarm"


def _lost_alarm(libraries: ctypes.CDLL) -> str:
    """Run UML's idle loop: read the remaining time of its timer, which nobody set, then wait for it."""
    timer, left = ctypes.c_void_p(), (ctypes.c_long * 4)()  # struct itimerspec
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    assert libraries.timer_create(time.CLOCK_MONOTONIC, None, ctypes.byref(timer)) == 0
    for _ in range(_ASKED):
        assert libraries.timer_gettime(timer, ctypes.byref(left)) == 0
    return "rings" if signal.sigtimedwait([signal.SIGALRM], _WAITED_SECONDS) else "silent"


def _sleep(libraries: ctypes.CDLL, *, is_event: bool) -> str:
    """Sleep as UML does, with an event that its handler has only recorded."""
    alarms: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, _frame: alarms.append(number))
    ends = os.pipe()
    if is_event:
        os.write(ends[1], b"1")
    event = (ctypes.c_uint32 * 3)(1)  # struct epoll_event: EPOLLIN
    assert libraries.epoll_ctl(libraries.epoll_create(1), 1, ends[0], ctypes.byref(event)) == 0
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    signal.alarm(_WAITED_SECONDS)
    libraries.sigsuspend(ctypes.byref((ctypes.c_ulong * 16)()))  # a sigset_t without signals
    return "slept until the alarm" if alarms else "saw it at once"


if __name__ == "__main__":
    own = ctypes.CDLL(None)
    sys.stdout.write(_lost_alarm(own) if sys.argv[1] == "alarm" else _sleep(own, is_event=sys.argv[1] == "event"))
