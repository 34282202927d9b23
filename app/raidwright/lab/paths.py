"""Where labs live: a directory of sockets for each, and its big files where there is room (see ``places``).

A lab's supervisor holds a lock on its directory as long as it lives, so whether a lab is alive is a question to
the kernel and not to a process id in a file.
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
_CHANGED_BLOCKS_BYTES = 256 * 2**20  # what a guest writes to its root disk, with the overlay: 40 MiB after a boot


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
        """Sockets, lock, what memory it claims, and the console's log."""
        return _labs() / self.name

    @property
    def scratch(self) -> Path:
        """The guest's memory and the changed blocks of its root disk: a link to where there was room."""
        return self.run / "scratch"

    @property
    def store(self) -> Path:
        """The disks' contents: a link to where there was most room."""
        return self.run / "store"

    @property
    def claim(self) -> Path:
        """How many bytes of memory it may come to write, as a number."""
        return self.run / "memory_bytes"

    @property
    def farewell(self) -> str:
        """Why the latest lab of this name ended by itself, in a sentence; "" if it didn't."""
        return self._farewell.read_text().strip() if self._farewell.exists() else ""

    def say_farewell(self, sentence: str) -> None:
        """Keep why it ended, in the block that was set aside: a full disk may be the reason."""
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
        """The socket at which the disks are served to the kernel."""
        return self.run / "disks"

    def bus(self, role: str) -> Path:
        return self.run / f"bus-{role}"

    def is_alive(self) -> bool:
        """Whether a supervisor holds the lab."""
        try:
            with (self.run / "lock").open("rb") as file:
                return not _try_lock(file.fileno())
        except FileNotFoundError:
            return False

    @contextmanager
    def occupied(self, memory_bytes: int) -> Iterator[None]:
        """Make its directories, hold them, and remove them with all that is in them.

        Raises MachineError when a lab of that name lives, when no place has room for its memory, and where the
        directory's name leaves none for that of a socket.
        """
        self._verify_short()
        with _all_labs_locked():
            sweep()
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
            _try_lock(lock)
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
    """The labs of this user that are alive, by name."""
    found = (LabPaths(path.name) for path in sorted(_labs().iterdir()) if path.is_dir())
    return tuple(paths for paths in found if paths.is_alive())


def living_called(name: str) -> LabPaths:
    """The living lab called ``name``; raises InputError."""
    paths = LabPaths(name)
    if not paths.is_alive():
        raise InputError("There is no practice machine called {name}.", code="no-lab", name=name)
    return paths


def sweep() -> None:
    """Remove what is left of labs whose supervisor was killed."""
    for path in _labs().iterdir():
        paths = LabPaths(path.name) if path.is_dir() else None
        if paths and not paths.is_alive():
            paths._remove()  # noqa: SLF001  # of our own class


def _claimed_bytes(place: Path) -> int:
    """What living labs may still write at ``place``: their memory is taken page by page."""
    there = [paths for paths in living() if paths.scratch.resolve().parent == place]
    return sum(int(paths.claim.read_text()) for paths in there if paths.claim.exists())  # an older program's has none


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
