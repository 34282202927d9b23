"""A practice machine whose disks are files that survive a power cut, with random bytes beyond the slices."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.disks.store import first_tib
from raidwright.lab.machine import Lab, LabSpec, start

from .quiet import Quiet

MIB = 2**20
CONFIRMED = ("--yes", "--overwrite-unknown")  # the bench's disks hold random bytes
_PATIENCE_SECONDS = 240.0
_LOOK = """sync
for disk in $(lsblk -dnpo NAME,SERIAL | while read name serial; do [ -n "$serial" ] && echo $name; done); do
blockdev --flushbufs $disk; wipefs --no-act --noheadings $disk; mdadm --examine $disk 2>/dev/null | grep Magic
lsblk -npo NAME $disk | tail -n +2; done
grep ^md /proc/mdstat; ls /var/lib/raidwright/scratch 2>/dev/null"""


class Bench:
    """A lab of ``disks``, their bytes in ``store``; nothing may write beyond the first ``slice_mib`` of each."""

    lab: Lab
    waited_share: float = 0.0

    def __init__(self, store: Path, disks: tuple[LabDisk, ...], slice_mib: int, *, pace: float = 1.0) -> None:
        self.store, self.disks, self.slice_mib = store, disks, slice_mib
        self._pace = pace
        self._before: Mapping[str, str] = {}

    def __enter__(self) -> Self:
        for number, disk in enumerate(self.disks):
            self._mark(disk, number)
        self._before = self.outside()
        self.boot()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.lab.stop()

    def boot(self) -> None:
        """Switch the machine on."""
        self.lab = start(LabSpec(self.disks, store=self.store, pace=self._pace))

    def cut_power(self) -> None:
        """Cut the power, and switch the machine on again."""
        self.lab.stop()
        self.boot()

    def _mark(self, disk: LabDisk, seed: int) -> None:
        """Write random bytes right behind the slice, in the middle and at the end."""
        random = Random(seed)  # noqa: S311 -- the same at each run
        with first_tib(self.store, disk).open("xb") as file:
            file.truncate(disk.size_bytes)
            for at in (self.slice_mib * MIB, disk.size_bytes // 2, disk.size_bytes - MIB):
                file.seek(at)
                file.write(random.randbytes(MIB))

    def outside(self) -> Mapping[str, str]:
        """Return, by serial, a checksum of all non-zero bytes beyond the slice."""
        return {disk.serial: _checksum(first_tib(self.store, disk), self.slice_mib * MIB) for disk in self.disks}

    def shell(self, script: str) -> str:
        """Run ``script`` in the guest; return its output, whether it fails or not."""
        return self.lab.exec(["sh", "-c", script], check=False, timeout_seconds=_PATIENCE_SECONDS).stdout.decode()

    def left(self) -> list[str]:
        """Return a shoot-out's remains: running arrays, superblocks and notes, and changes beyond the slices."""
        found = self.shell(_LOOK).splitlines()  # in one call: each call into the guest takes a while
        return found + [f"{serial} outside" for serial, sums in self.outside().items() if sums != self._before[serial]]

    def wait_until_nothing_is_left(self) -> list[str]:
        """Return [] as soon as nothing is left, and after ``_PATIENCE_SECONDS`` what is."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while (found := self.left()) and time.monotonic() < end:
            time.sleep(1)
        return found

    def kill_helper(self) -> None:
        """Kill the helper, as a crash would."""
        self.shell("systemctl kill --signal=KILL --kill-who=main raidwright-helper")

    @contextlib.contextmanager
    def shootout(self, *words: str) -> Iterator[Running]:
        """Run ``raidwright shootout`` with ``words``; kill it at the end of the block if it still runs."""
        with self.program("shootout", *words) as running:
            yield running

    def tells(self, *words: str, seconds: float = 1200) -> dict[str, Any]:
        """Run ``raidwright`` with ``words`` and ``--json``; return its answer. Raises RuntimeError with its stderr.

        ``waited_share`` has then the share of the time for which the host kept the machine waiting.
        """
        quiet = Quiet(self.lab.host_load)
        with self.program(*words, "--json") as running:
            if running.ended(seconds):
                raise RuntimeError(running.said)
            self.waited_share = quiet.waited_share()
            return dict(json.loads(running.told))

    @contextlib.contextmanager
    def program(self, *words: str) -> Iterator[Running]:
        """Run ``raidwright`` with ``words`` on this machine; kill it at the end of the block if it still runs."""
        # SIGINT is reset to its default: a shell's background job, as the tests may be, ignores it.
        command = ["env", "--default-signal=INT", sys.executable, "-m", "raidwright", *words]
        command += ["--machine", f"lab:{self.lab.name}"]
        home = dict(os.environ, XDG_DATA_HOME=str(self.store / "home"))
        with (self.store / "said").open("wb") as said, (self.store / "told").open("wb") as told:
            process = subprocess.Popen(command, stdout=told, stderr=said, env=home)
        try:
            yield Running(process, self.store)
        finally:
            process.kill()
            process.wait()


class Running:
    """A running command: its process and its output."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process, self._folder = process, folder

    @property
    def said(self) -> str:
        """Its progress so far."""
        return (self._folder / "said").read_text(encoding="utf-8")

    @property
    def told(self) -> str:
        """Its result."""
        return (self._folder / "told").read_text(encoding="utf-8")

    def wait_for(self, words: str, seconds: float = _PATIENCE_SECONDS) -> None:
        """Wait for ``words`` in its progress; raises RuntimeError when it ends before, or ``seconds`` have passed."""
        end = time.monotonic() + seconds
        while words not in self.said:
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(self.said)
            time.sleep(0.1)

    def ended(self, seconds: float) -> int:
        """Wait for its end; return its exit code."""
        return self.process.wait(seconds)


def _checksum(path: Path, first_byte: int) -> str:
    """Return a checksum of the non-zero blocks from ``first_byte`` on, with their offsets; holes are skipped."""
    summed = hashlib.blake2b()
    with path.open("rb") as file:
        for begin, end in _extents(file.fileno(), first_byte):
            for at in range(begin, end, MIB):
                block = os.pread(file.fileno(), min(MIB, end - at), at)
                if block.strip(b"\0"):
                    summed.update(at.to_bytes(8) + block)
    return summed.hexdigest()


def _extents(descriptor: int, at: int) -> Iterator[tuple[int, int]]:
    """Yield the (begin, end) of the file's data extents from ``at`` on."""
    while True:
        try:
            begin = os.lseek(descriptor, at, os.SEEK_DATA)
        except OSError:
            return  # nothing but a hole
        at = os.lseek(descriptor, begin, os.SEEK_HOLE)
        yield begin, at
