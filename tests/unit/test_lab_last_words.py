"""Reasons why a practice machine ended, or couldn't be started: the telling line, and the remedy."""

from __future__ import annotations

import signal

import pytest
from raidwright.lab.image_failures import why_not_built
from raidwright.lab.last_words import last_words

# As a machine with AMX wrote it; with a shortened stack.
_AMX = """\
mmapper_init - find_iomem failed
userspace - ptrace set fp regs failed, errno = 14
Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b
CPU: 0 PID: 1 Comm: hello Not tainted 6.1.176 #1
Stack:
 606944ba 607e7fcd 85843e40 6067bb96
 00000002 607e7fcd 60045fda 00000000
Call Trace:
 [<606944ba>] ? _printk+0x0/0x94
 [<6002d37a>] show_stack+0x184/0x193
"""


def test_the_line_before_a_panic_is_told_and_no_stack() -> None:
    told = last_words(_AMX, -signal.SIGABRT)
    assert "ptrace set fp regs failed, errno = 14 / Kernel panic - not syncing: Attempted to kill init" in told
    assert "SIGABRT, because the processor's registers are larger" in told
    assert "606944ba" not in told
    assert "Trace" not in told


def test_an_end_without_a_panic_is_told_by_its_signal_and_its_last_lines() -> None:
    assert last_words("", -signal.SIGBUS) == ("its kernel ended with SIGBUS: the place of its memory has no room left.")
    assert last_words("one\ntwo\nthree\n", 1) == "its kernel ended with code 1. Its last words: two / three"
    assert last_words("", None) == "its kernel runs and doesn't answer."


@pytest.mark.parametrize(
    ("heard", "way_out"),
    [
        (["E: unable to pick chroot mode automatically (use --mode for manual selection)"], "user namespace"),
        (["chroot: cannot change root directory to '/x': Operation not permitted"], "CAP_SYS_CHROOT"),
        (["tar: root.tar: Wrote only 4096 of 10240 bytes: No space left on device"], "XDG_CACHE_HOME"),
        (["E: Failed to fetch some index files"], "network"),
        (["I: starting", "E: something new", "I: removing tempdir"], "mmdebstrap says: E: something new"),
        ([], "mmdebstrap says: nothing"),
    ],
)
def test_a_build_that_failed_says_what_is_missing(heard: list[str], way_out: str) -> None:
    assert way_out in why_not_built("mmdebstrap", heard)
    assert "\n" not in why_not_built("mmdebstrap", heard)
    assert len(why_not_built("mmdebstrap", [f"E: {'x' * 4000}"])) < 400
