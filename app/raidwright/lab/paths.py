"""Where labs live: a directory of sockets for each, big files in memory where there is a tmpfs, images in the cache.

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

from ..core.errors import InputError, MachineError

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


@dataclass(frozen=True, slots=True)
class LabPaths:
    """The two directories of the lab called ``name``."""

    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InputError(
                f"“{self.name}” can't be a lab's name; use up to 32 of a–z, 0–9 and -.", code="name", name=self.name
            )

    @property
    def run(self) -> Path:
        """Sockets, lock, description and the console's log."""
        return _labs() / self.name

    @property
    def scratch(self) -> Path:
        """The changed blocks of the root disk, in memory where possible."""
        return scratch_root() / f"raidwright-{os.getuid()}-{self.name}"

    @property
    def description(self) -> Path:
        return self.run / "lab.json"

    @property
    def console(self) -> Path:
        return self.run / "console.log"

    @property
    def control(self) -> Path:
        return self.run / "control"

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
    def occupied(self) -> Iterator[None]:
        """Make both directories, hold them, and remove them with all that is in them.

        Raises MachineError when a lab of that name lives.
        """
        with _all_labs_locked():
            sweep()
            if self.run.exists():
                raise MachineError(f"There is a lab called {self.name} already.", code="exists", name=self.name)
            self.run.mkdir(mode=0o700)
            self.scratch.mkdir(mode=0o700)
            lock = os.open(self.run / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            _try_lock(lock)
        try:
            yield
        finally:
            with _all_labs_locked():
                self._remove()
            os.close(lock)

    def _remove(self) -> None:
        shutil.rmtree(self.scratch, ignore_errors=True)  # may never have been made
        shutil.rmtree(self.run)


def scratch_root() -> Path:
    """A tmpfs if there is one that we may write: a lab writes its memory and its changed blocks there."""
    memory = Path("/dev/shm")  # noqa: S108  # the tmpfs that POSIX shared memory lives in
    return memory if os.access(memory, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def cache_root() -> Path:
    """Where root images are kept between labs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "raidwright" / "lab"


def living() -> tuple[LabPaths, ...]:
    """The labs of this user that are alive, by name."""
    found = (LabPaths(path.name) for path in sorted(_labs().iterdir()) if path.is_dir())
    return tuple(paths for paths in found if paths.is_alive())


def sweep() -> None:
    """Remove what is left of labs whose supervisor was killed."""
    for path in _labs().iterdir():
        paths = LabPaths(path.name) if path.is_dir() else None
        if paths and not paths.is_alive():
            paths._remove()  # noqa: SLF001  # of our own class


def _labs() -> Path:
    base = os.environ.get("XDG_RUNTIME_DIR")
    root = Path(base) / "raidwright" if base else Path(tempfile.gettempdir()) / f"raidwright-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    facts = root.lstat()
    if facts.st_uid != os.getuid() or facts.st_mode & 0o077:
        raise MachineError(f"{root} isn't private to you; remove it and try again.", code="not-private", path=root)
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
