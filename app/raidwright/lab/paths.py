"""Directories of labs: one for the sockets of each, and its large files where there is space (see ``places``).

A lab's supervisor holds a lock on its directory as long as it runs, so that the kernel, not a pid in a file, tells
whether a lab is alive.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import InputError, MachineError

from .places import roomiest, roomy

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_FAREWELL_BYTES = 4096
_SOCKET_PATH_BYTES = 107  # unix(7), without the zero at its end
_LONGEST_SOCKET = "kernel/mconsole"  # the kernel's own
_CHANGED_BLOCKS_BYTES = 256 * 2**20  # a guest's writes to its root disk, with the overlay: 40 MiB after a boot


@dataclass(frozen=True, slots=True)
class LabPaths:
    """The directories of the lab called ``name``."""

    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InputError(
                "“{name}” can't be a lab's name; use up to 32 of a–z, 0–9 and -.", code="name", name=self.name
            )

    @property
    def run(self) -> Path:
        """Directory of sockets, lock, memory claim and console log."""
        return _labs() / self.name

    @property
    def scratch(self) -> Path:
        """The guest's memory and the changed blocks of its root disk: a link to where there was enough space."""
        return self.run / "scratch"

    @property
    def store(self) -> Path:
        """The disks' contents: a link to the place with the most space."""
        return self.run / "store"

    @property
    def system(self) -> Path:
        """The guest's root image and kernel: a link into the cache."""
        return self.run / "system"

    @property
    def claim(self) -> Path:
        """File with the number of bytes of memory that the lab may use."""
        return self.run / "memory_bytes"

    @property
    def farewell(self) -> str:
        """The reason, as a sentence, why the latest lab of this name ended by itself; "" if it didn't."""
        return self._farewell.read_text().strip() if self._farewell.exists() else ""

    def say_farewell(self, sentence: str) -> None:
        """Write the reason for the end into the block allocated in advance: a full disk may be the reason."""
        with self._farewell.open("r+") as file:
            file.write(sentence[:_FAREWELL_BYTES])

    @property
    def _farewell(self) -> Path:
        return _labs() / f"{self.name}.ended"

    @property
    def console(self) -> Path:
        return self.run / "console.log"

    @property
    def control(self) -> Path:
        return self.run / "control"

    @property
    def disks(self) -> Path:
        """Socket at which the disks are served to the kernel."""
        return self.run / "disks"

    def bus(self, role: str) -> Path:
        return self.run / f"bus-{role}"

    def is_alive(self) -> bool:
        """True while a supervisor holds the lab's lock."""
        try:
            with (self.run / "lock").open("rb") as file:
                return not _try_lock(file.fileno())
        except FileNotFoundError:
            return False

    @contextmanager
    def occupied(self, memory_bytes: int) -> Iterator[None]:
        """Create the lab's directories, lock them, and remove them with their content at the end.

        Raises MachineError if a lab of that name is running, if no place has space for its memory, or if the
        directory's path is too long for a socket's.
        """
        self._verify_short()
        with _all_labs_locked():
            _remove_remains()
            if self.run.exists():
                raise MachineError("There is a lab called {name} already.", code="exists", name=self.name)
            place = roomy(memory_bytes + _CHANGED_BLOCKS_BYTES, _claimed_bytes)
            self._farewell.write_text(" " * _FAREWELL_BYTES)
            self.run.mkdir(mode=0o700)
            self.claim.write_text(str(memory_bytes))  # before it counts as alive: the next one reads it
            for link, there in ((self.scratch, place), (self.store, roomiest())):
                link.symlink_to(there / f"raidwright-{os.getuid()}-{self.name}-{link.name}")
                link.resolve().mkdir(mode=0o700)
            lock = os.open(self.run / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)  # whoever asks whether it is alive holds it for a moment
        try:
            yield
        finally:
            with _all_labs_locked():
                self._remove()
            os.close(lock)

    def _verify_short(self) -> None:
        if len(os.fsencode(self.run / _LONGEST_SOCKET)) > _SOCKET_PATH_BYTES:
            raise MachineError(
                "The name of the folder {folder} is too long for the practice machine's sockets; set TMPDIR or "
                "XDG_RUNTIME_DIR to a folder with a shorter one.",
                code="long-folder",
                folder=self.run.parent,
            )

    def _remove(self) -> None:
        for link in (self.scratch, self.store):
            shutil.rmtree(link.resolve(), ignore_errors=True)  # may never have been made
        shutil.rmtree(self.run)
        if not self.farewell:
            self._farewell.unlink(missing_ok=True)


def living() -> tuple[LabPaths, ...]:
    """Return this user's running labs, by name."""
    found = (LabPaths(path.name) for path in sorted(_labs().iterdir()) if path.is_dir())
    return tuple(paths for paths in found if paths.is_alive())


def living_called(name: str) -> LabPaths:
    """Return the running lab called ``name``; raises InputError."""
    paths = LabPaths(name)
    if not paths.is_alive():
        raise InputError("There is no practice machine called {name}.", code="no-lab", name=name)
    return paths


def sweep() -> None:
    """Remove the remains of labs whose supervisor was killed."""
    with _all_labs_locked():
        _remove_remains()


def _remove_remains() -> None:
    for path in _labs().iterdir():
        paths = LabPaths(path.name) if path.is_dir() else None
        if paths and not paths.is_alive():
            paths._remove()  # noqa: SLF001  # a method of this module's class


def _claimed_bytes(place: Path) -> int:
    """Return the bytes that running labs may still write at ``place``: their memory is allocated page by page."""
    there = [paths for paths in living() if paths.scratch.resolve().parent == place]
    return sum(int(paths.claim.read_text()) for paths in there if paths.claim.exists())  # older versions have none


def _labs() -> Path:
    base = os.environ.get("XDG_RUNTIME_DIR")
    root = Path(base) / "raidwright" if base else Path(tempfile.gettempdir()) / f"raidwright-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    facts = root.lstat()
    if facts.st_uid != os.getuid() or facts.st_mode & 0o077:
        raise MachineError("{path} isn't private to you; remove it and try again.", code="not-private", path=root)
    labs = root / "labs"
    labs.mkdir(mode=0o700, exist_ok=True)
    return labs


@contextmanager
def _all_labs_locked() -> Iterator[None]:
    with (_labs() / ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
