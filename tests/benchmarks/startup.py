"""How soon the window stands with its disks listed, against GNOME Disks on the same practice machine and screen.

Both are watched from outside in the same way: from the start of the process to the last change of the
screen's pixels before they rest. A program draws its disks last, so that is when they are listed.
"""

from __future__ import annotations

import mmap
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

from raidwright.journey.screen import VirtualScreen
from raidwright.lab import machine

from .table import report

ROUNDS = 7
REST_SECONDS = 1.5
WATCH_SECONDS = 0.01
GIVE_UP_SECONDS = 30.0


def _drawn_after(argv: list[str], environment: dict[str, str], pixels: mmap.mmap) -> float:
    """Seconds from starting ``argv`` to the last change of ``pixels`` before they rest."""
    before = zlib.crc32(pixels)
    started = last_change = time.perf_counter()
    program = subprocess.Popen(
        argv, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    seen = before
    while (now := time.perf_counter()) < started + GIVE_UP_SECONDS:
        checksum = zlib.crc32(pixels)
        if checksum != seen:
            seen, last_change = checksum, now
        if seen != before and now - last_change > REST_SECONDS:
            break
        time.sleep(WATCH_SECONDS)
    else:
        raise RuntimeError(f"{argv[0]} drew nothing that rests within {GIVE_UP_SECONDS} s")
    os.killpg(program.pid, signal.SIGTERM)
    program.wait(timeout=10)
    time.sleep(0.5)  # the screen empties again
    return last_change - started


def _rounds(address: str, folder: str) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"Raidwright": [], "GNOME Disks": []}
    with VirtualScreen(framebuffer=Path(folder)) as screen, (Path(folder) / "Xvfb_screen0").open("rb") as file:
        base = screen.environment | {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "NO_AT_BRIDGE": "1"}
        ours = [sys.executable, "-m", "raidwright", "gui", "--machine", address]
        theirs = ["dbus-run-session", "--", "gnome-disks"]
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pixels:
            for round_number in range(ROUNDS + 1):
                once = {
                    "Raidwright": _drawn_after(ours, base, pixels),
                    "GNOME Disks": _drawn_after(theirs, base | {"DBUS_SYSTEM_BUS_ADDRESS": address}, pixels),
                }
                if round_number:  # the first warms the page cache for both
                    for name, seconds in once.items():
                        times[name].append(seconds)
    return times


def run() -> None:
    """Print both programs' times and the ratio of their medians."""
    spec = machine.LabSpec.parse("4x8TB")
    with tempfile.TemporaryDirectory() as folder, machine.start(spec) as lab:
        times = _rounds(lab.bus_address("root"), folder)
    medians = {name: statistics.median(values) for name, values in times.items()}
    rows = [
        [name, f"{medians[name]:.3f}", f"{min(values):.3f}", f"{max(values):.3f}"] for name, values in times.items()
    ]
    rows.append(["ratio (at most 0.6 is wanted)", f"{medians['Raidwright'] / medians['GNOME Disks']:.2f}", "", ""])
    report("startup", ["program", "median s", "fastest s", "slowest s"], rows)
