"""Control of the process that serves the practice machine's disks (c/disks.c), for the lab's supervisor."""

from __future__ import annotations

import signal
import socket
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, cast

from raidwright.core.errors import InputError, MachineError
from raidwright.core.messages import say
from raidwright.lab.compiled import disks_program

from .disk import LabDisk
from .identity import pages
from .spots import unreadable_spots

MAX_DISKS = 64  # c/disks.h, MAX_TARGETS
_END_SECONDS = 5.0


class Fault(StrEnum):
    """Fault injected into a disk's reads and writes."""

    SOUND = "sound"
    ERRORS = "errors"  # they fail
    SLOW = "slow"  # writes take four seconds
    HANGING = "hanging"  # they wait until the fault changes


@dataclass(frozen=True, slots=True)
class DiskPower:
    """A disk's power: how often it has spun up since it was added, and whether it is in standby or stopped."""

    spin_ups: int
    is_asleep: bool


@dataclass(frozen=True, slots=True)
class StoreState:
    """Space used by the disks' contents on the host, space left for them, and the number of writes held back."""

    folder: str
    used_bytes: int
    room_bytes: int
    held_writes: int


class DiskServer:
    """Serves disks with their contents in ``folder`` at the socket ``path``, until ``close``, which cuts their power.

    Writes wait instead of using the last ``reserve_bytes`` of the folder's file system. ``pace`` seconds of the machine
    pass in one second of the host; ``zero_pages`` are read though the kernel doesn't share them (``kernel``).
    Thread-safe.
    """

    def __init__(
        self, folder: Path, path: Path, reserve_bytes: int, pace: float = 1.0, zero_pages: tuple[int, ...] = ()
    ) -> None:
        self._folder = folder
        self._asking = threading.Lock()
        self._serials: list[str] = []  # by target
        self._pulled: set[str] = set()
        self._said = path.with_name(f"{path.name}.log")
        with socket.socket(socket.AF_UNIX) as listener, self._said.open("wb") as said:
            listener.bind(str(path))
            listener.listen(1)
            self._process = subprocess.Popen(
                [disks_program(), folder, str(reserve_bytes), str(listener.fileno()), str(pace), *map(str, zero_pages)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                pass_fds=[listener.fileno()],
                start_new_session=True,
                text=True,
            )

    @property
    def pid(self) -> int:
        """The process that serves them."""
        return self._process.pid

    def close(self) -> None:
        """End the process: at the end of its input it discards cached writes, restoring the content on the medium."""
        with self._asking:
            cast("IO[str]", self._process.stdin).close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        with self._process:
            pass

    def failure(self) -> str:
        """Wait for the end of the process; return why it ended, or "" if the guest's end or ``close`` ended it."""
        code = self._process.wait()
        if code == 0:
            return ""
        said = self._said.read_text(errors="replace").strip().splitlines()
        if said:
            return said[-1].removeprefix("disks: ")
        return say("ended with {signal}", signal=signal.Signals(-code).name) if code < 0 else str(code)

    def add(self, disk: LabDisk) -> None:
        """Plug a new disk in, with the content that the folder holds for its serial. Raises InputError."""
        if disk.serial in self._serials:
            raise InputError("The practice machine has a disk {serial} already.", code="serial", serial=disk.serial)
        if len(self._serials) == MAX_DISKS:
            raise InputError("A practice machine can have {most} disks.", code="most-disks", most=MAX_DISKS)
        exponent = (disk.physical_sector_bytes // disk.logical_sector_bytes).bit_length() - 1
        facts = (disk.serial, disk.size_bytes, disk.logical_sector_bytes, exponent)
        self._ask("add", len(self._serials), *facts, *_words(pages(disk)), *_figures(disk))
        self._serials.append(disk.serial)
        for first_byte, end_byte in unreadable_spots(disk):
            self.spoil(disk.serial, first_byte, end_byte)

    def pull(self, serial: str) -> None:
        """Unplug a disk; raises InputError if it isn't plugged in."""
        if serial not in self.plugged_in():
            raise InputError("No disk with the serial {serial} is plugged in.", code="serial", serial=serial)
        self._ask("pull", self._serials.index(serial))
        self._pulled.add(serial)

    def cut(self, serial: str) -> None:
        """Cut a disk's power: unplug it and lose its write cache. Raises InputError."""
        if serial not in self.plugged_in():
            raise InputError("No disk with the serial {serial} is plugged in.", code="serial", serial=serial)
        self._ask("cut", self._serials.index(serial))
        self._pulled.add(serial)

    def plug(self, serial: str) -> None:
        """Plug a pulled disk in again, with its content; raises InputError if it wasn't pulled."""
        if serial not in self._pulled:
            raise InputError("No disk with the serial {serial} has been pulled.", code="serial", serial=serial)
        self._ask("plug", self._serials.index(serial))
        self._pulled.discard(serial)

    def fault(self, serial: str, fault: Fault) -> None:
        """Set a disk's fault; raises InputError for an unknown disk."""
        self._ask("fault", self._target(serial), fault)

    def spoil(self, serial: str, first_byte: int, end_byte: int) -> None:
        """Make these bytes of a disk unreadable until they are rewritten; raises InputError for an unknown disk."""
        self._ask("spoil", self._target(serial), first_byte, end_byte)

    def sleep(self, serial: str) -> None:
        """Put a disk into standby, as its own timer does; raises InputError for an unknown disk."""
        self._ask("sleep", self._target(serial))

    def power(self, serial: str) -> DiskPower:
        """Return a disk's power state; raises InputError for an unknown disk."""
        spin_ups, is_asleep = self._ask("power", self._target(serial))
        return DiskPower(int(spin_ups), is_asleep == "1")

    def _target(self, serial: str) -> int:
        if serial not in self._serials:
            raise InputError("The practice machine has no disk {serial}.", code="serial", serial=serial)
        return self._serials.index(serial)

    def plugged_in(self) -> tuple[str, ...]:
        """Serials of the disks plugged in, by target."""
        return tuple(serial for serial in self._serials if serial not in self._pulled)

    def pulled(self) -> tuple[str, ...]:
        """Serials of the pulled disks, which can be plugged in again."""
        return tuple(serial for serial in self._serials if serial in self._pulled)

    def limit(self, size_bytes: int) -> None:
        """Make writes wait beyond ``size_bytes`` of contents in all; 0 for no limit but the file system's end."""
        self._ask("limit", size_bytes)

    def store(self) -> StoreState:
        """Return the folder's use of space."""
        used, room, held = (int(word) for word in self._ask("store"))
        return StoreState(str(self._folder), used, room, held)

    def _ask(self, *words: object) -> list[str]:
        line = "\t".join(map(str, words)) + "\n"
        with self._asking:
            try:
                cast("IO[str]", self._process.stdin).write(line)
                cast("IO[str]", self._process.stdin).flush()
                answer = cast("IO[str]", self._process.stdout).readline()
            except BrokenPipeError:
                answer = ""
        said, *rest = answer.rstrip("\n").split("\t")
        if said != "ok":
            raise MachineError(
                "The practice machine's disks don't answer: {why}.", code="disks", why=said or say("they have ended")
            )
        return rest


def _figures(disk: LabDisk) -> list[str]:
    if disk.timing is None:
        return []
    figures = {**disk.timing.figures(disk.size_bytes), "link_mb_s": disk.link_mb_s}
    return [f"{name}={value}" for name, value in figures.items()] + ([f"link={disk.link}"] if disk.link else [])


def _words(answers: Mapping[int, bytes]) -> list[str]:
    return [f"{code}={content.hex()}" for code, content in answers.items()]
