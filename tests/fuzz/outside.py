"""The lab seen past the helper: bytes on its disks, writes that the kernel counted, its process, the journal."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from raidwright.lab.machine import Lab
from raidwright.lab.paths import LabPaths

_UNIT = "raidwright-helper.service"
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Seal:
    """A disk's contents, and how many sectors were ever written to it or discarded."""

    digest: str
    writes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Process:
    """The helper's process and its memory; 0 for both when it doesn't run."""

    pid: int
    rss_kib: int


def seals(lab: Lab, devices: dict[str, str]) -> dict[str, Seal]:
    """The seal of each disk; ``devices`` are nodes by serial."""
    lab.exec(["sync"])
    store = LabPaths(lab.name).store.resolve()
    found = {}
    for serial, node in devices.items():
        counts = lab.exec(["cat", f"/sys/block/{node.removeprefix('/dev/')}/stat"]).stdout.split()
        # Documentation/block/stat.rst: write sectors, discard sectors. Not write I/Os: an empty flush is one, too,
        # and the kernel sends that by itself to a disk whose neighbour was plugged in (unit attention, change event).
        found[serial] = Seal(_digest(store, serial), tuple(int(counts[column]) for column in (6, 13)))
    return found


def _digest(store: Path, serial: str) -> str:
    """Of what is allocated of a disk's sparse files: where it lies, and the bytes."""
    digest = hashlib.sha256()
    for path in sorted(store.glob(f"{serial}.*")):
        with path.open("rb") as file:
            at = 0
            while True:
                try:
                    at = os.lseek(file.fileno(), at, os.SEEK_DATA)
                except OSError:  # ENXIO: nothing but holes from here on
                    break
                end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
                digest.update(f"{path.suffix} {at}-{end}".encode())
                while at < end and (block := os.pread(file.fileno(), min(_PIECE_BYTES, end - at), at)):
                    digest.update(block)
                    at += len(block)
    return digest.hexdigest()


def helper_process(lab: Lab) -> Process:
    """Return the helper's current process."""
    script = f"pid=$(systemctl show -P MainPID {_UNIT}); echo $pid; grep -h VmRSS /proc/$pid/status"
    words = lab.exec(["sh", "-c", script], check=False).stdout.decode().split()
    return Process(int(words[0]), int(words[2])) if len(words) > 2 else Process(0, 0)


def arrays(lab: Lab) -> tuple[str, ...]:
    """Return the md arrays."""
    lines = lab.exec(["cat", "/proc/mdstat"]).stdout.decode().splitlines()
    return tuple(sorted(line.split()[0] for line in lines if line.startswith("md")))


def signatures(lab: Lab, nodes: Iterable[str]) -> str:
    """Return the signatures that ``wipefs`` finds on ``nodes``."""
    return lab.exec(["wipefs", "--no-act", "--noheadings", *nodes]).stdout.decode().strip()


def records(lab: Lab) -> tuple[tuple[dict[str, Any], ...], tuple[str, ...]]:
    """The helper's own records in the journal, and its other lines."""
    lines = lab.exec(["journalctl", "--no-pager", "--output=cat", "-u", _UNIT]).stdout.decode().splitlines()
    acts = tuple(json.loads(line) for line in lines if line.startswith('{"verb"'))
    return acts, tuple(line for line in lines if not line.startswith('{"verb"'))
