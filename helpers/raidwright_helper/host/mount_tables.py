"""Mounts in every mount namespace: those of containers, of units with PrivateMounts= and of snaps are in no other.

Source: proc(5), ``/proc/PID/mountinfo``. A table is shown as its process sees it, so each process is asked; a table
that was read already is known by its first line, since a mount's number is the same for no two mounts.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .host import Host

_ESCAPE = re.compile(r"\\([0-7]{3})")
_PAGE_BYTES = 4096  # the kernel fills it with whole lines
_DEVICE = re.compile(r"(\d{1,7}):(\d{1,7})")
# Their mounts show an anonymous number. Whoever mounts anything else with such a number may call its source anything.
_ANONYMOUS = frozenset({"btrfs", "bcachefs"})
_FURTHER_DEVICES = ("logdev=", "rtdev=")  # of XFS, which shows them among its options


@dataclass(frozen=True, slots=True)
class Mount:
    """One mount. ``device`` is its file system's number, ``sources`` the nodes that it names, ``further`` its logs'.

    ``pid`` is a process whose namespace has it; 0: the system's own namespace does.
    """

    number: int
    point: str
    device: int
    kind: str
    sources: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    pid: int = 0


def plain(text: str) -> str:
    r"""Decode the kernel's ``\040``."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)


def read_table(text: str) -> tuple[Mount, ...]:
    """Return the mounts of a ``mountinfo``; lines that aren't of its form are left out."""
    return tuple(mount for line in text.split("\n") if (mount := _mount(line)) is not None)


def _mount(line: str) -> Mount | None:
    left, _, right = line.partition(" - ")
    fields, named = left.split(" "), [*right.split(" "), "", "", ""]
    if len(fields) < 6 or not fields[0].isdecimal() or (device := _DEVICE.fullmatch(fields[2])) is None:
        return None
    kind, source, options = named[0], plain(named[1]), named[2].split(",")
    sources = tuple(source.split(":")) if kind in _ANONYMOUS else ()
    further = (plain(one.partition("=")[2]) for one in options if kind == "xfs" and one.startswith(_FURTHER_DEVICES))
    number = os.makedev(int(device[1]), int(device[2]))
    return Mount(int(fields[0]), plain(fields[4]), number, kind, sources, tuple(further))


def mounts_everywhere(host: Host) -> tuple[Mount, ...]:
    """Return the mounts of all namespaces, the system's own (process 1's) first."""
    processes = sorted(int(path.name) for path in (host.root / "proc").glob("[0-9]*") if path.name.isdecimal())
    seen: set[str] = set()
    found: list[Mount] = []
    for process in (*([1] if 1 in processes else []), "self", *(pid for pid in processes if pid != 1)):
        with contextlib.suppress(OSError):  # it has just ended
            table = _unseen_table(host.root / f"proc/{process}/mountinfo", seen)
            pid = process if isinstance(process, int) and process != 1 else 0
            found += (replace(one, pid=pid) for one in read_table(table))
    return tuple(found)


def _unseen_table(path: Path, seen: set[str]) -> str:
    """Return a process's table, "" if one that begins with the same mount was read."""
    with path.open("rb", buffering=0) as file:
        begin = file.read(_PAGE_BYTES) or b""
        first = begin.partition(b"\n")[0].decode(errors="replace")
        if first in seen:
            return ""
        seen.add(first)
        return (begin + b"".join(iter(lambda: file.read(2**16), b""))).decode(errors="replace")


def numbers_of(host: Host, mount: Mount) -> Iterator[int]:
    """Yield the numbers of the devices that the mounted file system is known to lie on."""
    if os.major(mount.device):
        yield mount.device
    yield from filter(None, map(host.number_of, mount.sources))
