"""How soon the window stands with its disks listed, against GNOME Disks on the same practice machine and screen.

Both are watched from outside in the same way: from the start of the process to the first moment from which on
the screen looks as it does in the end, but for one pixel in 500 (a cell that fills in later, a blinking caret).
Both are given the same session bus, which a desktop has, and the same system bus.
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

import numpy as np
from raidwright.journey.screen import VirtualScreen
from raidwright.lab import machine, shelf

from .table import report

ROUNDS = 7
REST_SECONDS = 2.0
WATCH_SECONDS = 0.005
GIVE_UP_SECONDS = 30.0
DIFFERENT_AT_MOST = 1 / 500
BYTES_A_PIXEL = 4


def _drawn_after(argv: list[str], environment: dict[str, str], pixels: mmap.mmap) -> float:
    """Seconds from starting ``argv`` to when the screen stands as it will rest."""
    frames = [(0.0, pixels[:])]
    seen = zlib.crc32(pixels)
    started = time.perf_counter()
    program = subprocess.Popen(
        argv, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while len(frames) == 1 or time.perf_counter() - started - frames[-1][0] < REST_SECONDS:
        now = time.perf_counter() - started
        if now > GIVE_UP_SECONDS:
            raise RuntimeError(f"{argv[0]} drew nothing that rests within {GIVE_UP_SECONDS} s")
        checksum = zlib.crc32(pixels)
        if checksum != seen:
            seen = checksum
            frames.append((now, pixels[:]))
        time.sleep(WATCH_SECONDS)
    os.killpg(program.pid, signal.SIGTERM)
    program.wait(timeout=10)
    time.sleep(0.5)  # the screen empties again
    return _stands_from(frames)


def _stands_from(frames: list[tuple[float, bytes]]) -> float:
    last = np.frombuffer(frames[-1][1], dtype=np.uint8)
    stands = frames[-1][0]
    for seconds, frame in reversed(frames):
        different = np.count_nonzero(np.frombuffer(frame, dtype=np.uint8) != last) / BYTES_A_PIXEL
        if different > last.size / BYTES_A_PIXEL * DIFFERENT_AT_MOST:
            break
        stands = seconds
    return stands


def _rounds(address: str, folder: str) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"Raidwright": [], "GNOME Disks": []}
    with VirtualScreen(framebuffer=Path(folder)) as screen, (Path(folder) / "Xvfb_screen0").open("rb") as file:
        base = screen.environment | {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        base["DBUS_SYSTEM_BUS_ADDRESS"] = address
        ours = [sys.executable, "-m", "raidwright", "gui", "--machine", address]
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pixels:
            for round_number in range(ROUNDS + 1):
                once = {"Raidwright": _drawn_after(ours, base, pixels)}
                once["GNOME Disks"] = _drawn_after(["gnome-disks"], base, pixels)
                if round_number:  # the first warms the page cache for both
                    for name, seconds in once.items():
                        times[name].append(seconds)
    return times


def run() -> None:
    """Print both programs' times and the ratio of their medians; needs a session bus."""
    spec = machine.LabSpec(shelf.disks_from_text("4x8TB"))
    with tempfile.TemporaryDirectory() as folder, machine.start(spec) as lab:
        times = _rounds(lab.bus_address("root"), folder)
    medians = {name: statistics.median(values) for name, values in times.items()}
    rows = [
        [name, f"{medians[name]:.3f}", f"{min(values):.3f}", f"{max(values):.3f}"] for name, values in times.items()
    ]
    rows.append(["ratio (at most 0.6 is wanted)", f"{medians['Raidwright'] / medians['GNOME Disks']:.2f}", "", ""])
    report("startup", ["program", "median s", "fastest s", "slowest s"], rows)


if __name__ == "__main__":
    run()
