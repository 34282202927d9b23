"""Time until the window shows its disks, against GNOME Disks on the same practice machine and screen.

Both are watched from outside in the same way: from the start of the process to the first moment from which on
the screen looks as it does in the end, but for one pixel in 500 (a cell that fills in later, a blinking caret).
Twice: on a bare virtual screen, and with a session bus as a desktop has it, which GNOME Disks otherwise waits
for. Two more programs show what is the least with these parts: a PySide6 table of four rows and nothing else, and
one that asks for the disks by dbus-fast first, in forty lines without a name, a check or a style; and ``busctl``,
which asks for the disks and draws nothing, what the practice machine's line alone takes of each.
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
from raidwright.lab import machine, shelf

from tests.kit.screen import VirtualScreen

from ..kit.check import report

ROUNDS = 7
REST_SECONDS = 2.0
WATCH_SECONDS = 0.005
GIVE_UP_SECONDS = 30.0
MAX_DIFFERENT = 1 / 500
BYTES_A_PIXEL = 4
THEIRS = "GNOME Disks"
ANSWER = "the disks' answer alone (busctl)"
_ASK = (
    *("busctl", "--json=short", "--timeout=10", "call"),
    *("org.freedesktop.UDisks2", "/org/freedesktop/UDisks2", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"),
)
_BARE = Path(__file__).with_name("bare")


def _drawn_after(argv: list[str], environment: dict[str, str], pixels: mmap.mmap) -> float:
    """Return the seconds from starting ``argv`` until the screen has its final content."""
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
        if different > last.size / BYTES_A_PIXEL * MAX_DIFFERENT:
            break
        stands = seconds
    return stands


def _answered_after(address: str) -> float:
    """Return the seconds until the machine at ``address`` has listed its disks, without drawing."""
    started = time.perf_counter()
    subprocess.run([*_ASK, f"--address={address}"], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def _rounds(programs: dict[str, list[str]], environment: dict[str, str], pixels: mmap.mmap) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in (*programs, ANSWER)}
    for round_number in range(ROUNDS + 1):
        for name, argv in programs.items():
            seconds = _drawn_after(argv, environment, pixels)
            if round_number:  # the first warms the page cache for all
                times[name].append(seconds)
        times[ANSWER].append(_answered_after(environment["DBUS_SYSTEM_BUS_ADDRESS"]))
    return times


def _rows(condition: str, times: dict[str, list[float]]) -> list[list[str]]:
    theirs = statistics.median(times[THEIRS])
    return [
        [
            condition,
            name,
            *(f"{pick(values):.3f}" for pick in (statistics.median, min, max)),
            f"{statistics.median(values) / theirs:.2f}",
        ]
        for name, values in times.items()
    ]


def _measured(address: str, folder: str) -> list[list[str]]:
    programs = {
        "Raidwright": [sys.executable, "-m", "raidwright", "gui", "--machine", address],
        THEIRS: ["gnome-disks"],
        "bare PySide6 table": [sys.executable, str(_BARE / "table.py")],
        "bare PySide6 table of disks": [sys.executable, str(_BARE / "disks.py")],
    }
    with VirtualScreen(framebuffer=Path(folder)) as screen, (Path(folder) / "Xvfb_screen0").open("rb") as file:
        homes = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), folder)
        session = screen.environment | homes
        session["DBUS_SYSTEM_BUS_ADDRESS"] = address
        settings = Path(folder) / "raidwright" / "window.ini"  # those of somebody who has been welcomed
        settings.parent.mkdir(exist_ok=True)
        settings.write_text("[General]\ngreeted=yes\nwalked=yes\n")
        bare = {key: value for key, value in session.items() if key != "DBUS_SESSION_BUS_ADDRESS"}
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pixels:
            return [
                *_rows("bare screen", _rounds(programs, bare, pixels)),
                *_rows("with a session bus", _rounds(programs, session, pixels)),
            ]


def run() -> None:
    """Print the programs' times and their ratios to GNOME Disks; needs a session bus (``dbus-run-session``)."""
    spec = machine.LabSpec(shelf.disks_from_text("4x8TB", at_memory_speed=True))
    with tempfile.TemporaryDirectory() as folder, machine.start(spec) as lab:
        rows = _measured(lab.bus_address("root"), folder)
    columns = ["condition", "program", "median s", "fastest s", "slowest s", "ratio (wanted: at most 1.3)"]
    report("startup", columns, rows)


if __name__ == "__main__":
    run()
