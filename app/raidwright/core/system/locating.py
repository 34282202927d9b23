"""Ways to find a disk among others in its case: its bay's locate light, or reads in bursts that one can watch.

Sources: ledctl(8); fio's HOWTO (thinktime, thinktime_iotime).
"""

from __future__ import annotations

from raidwright.core.errors import InputError

FIO = "/usr/bin/fio"
LEDCTL = "/usr/sbin/ledctl"
MAX_SECONDS = 60
_BURST_SECONDS = 1  # of reading, then as long of rest


def checked_locate_seconds(seconds: int) -> int:
    """Return ``seconds`` if a disk may be shown so long; raises InputError."""
    if not 0 < seconds <= MAX_SECONDS:
        raise InputError("A disk is shown for 1 to {most} seconds.", code="seconds", most=MAX_SECONDS)
    return seconds


def light_argv(device: str, *, is_on: bool) -> tuple[str, ...]:
    """Return the command that switches the locate light of ``device``; no other disk's light changes."""
    return (LEDCTL, "--listed-only", "--log=/dev/null", f"{'locate' if is_on else 'locate_off'}={device}")


def burst_argv(device: str, *, seconds: int) -> tuple[str, ...]:
    """Return the command that reads ``device`` all over, in bursts: a spinning disk can be heard as well."""
    return (
        FIO,
        "--name=locate",
        f"--filename={device}",
        "--readonly",
        "--rw=randread",
        "--bs=64k",
        "--direct=1",
        "--ioengine=libaio",
        "--iodepth=4",
        "--time_based",
        f"--runtime={seconds}",
        f"--thinktime={_BURST_SECONDS}s",
        f"--thinktime_iotime={_BURST_SECONDS}s",
        "--continue_on_error=read",  # a failing disk is one that people look for
        "--output-format=json",
    )
