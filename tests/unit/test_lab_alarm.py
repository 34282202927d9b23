"""The practice machine's clock: an alarm that got lost comes again."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time

import pytest
from raidwright.lab.compiled import alarm_library, clock_library

_WAITED_SECONDS = 1


def _idle() -> None:
    """As UML's idle loop: asks how long its timer, which nobody set, has left, then waits for it."""
    libraries = ctypes.CDLL(None)
    timer, left = ctypes.c_void_p(), (ctypes.c_long * 4)()  # struct itimerspec
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    assert libraries.timer_create(time.CLOCK_MONOTONIC, None, ctypes.byref(timer)) == 0
    assert libraries.timer_gettime(timer, ctypes.byref(left)) == 0
    came = signal.sigtimedwait([signal.SIGALRM], _WAITED_SECONDS)
    sys.stdout.write("rings" if came else "silent")


def _said(*preloaded: str, pace: float = 1) -> str:
    environment = {**os.environ, "LD_PRELOAD": ":".join(preloaded), "RAIDWRIGHT_PACE": str(pace)}
    return subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, check=True, env=environment
    ).stdout


def test_a_timer_that_is_not_set_when_it_is_asked_for_rings_all_the_same() -> None:
    assert _said() == "silent"
    assert _said(str(alarm_library())) == "rings"


@pytest.mark.parametrize("pace", [1 / 4, 60])
def test_it_does_at_another_pace(pace: float) -> None:
    assert _said(str(alarm_library()), str(clock_library()), pace=pace) == "rings"


if __name__ == "__main__":
    _idle()
