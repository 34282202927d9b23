"""A practice machine uses a place with space for its memory, and reports the lack of one before it starts.

Each test mounts file systems over /dev/shm and TMPDIR in a mount namespace of its own, as a container does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.lab

_START = """
import sys
from raidwright.core.errors import MachineError
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.paths import LabPaths
try:
    with start(LabSpec(), name=sys.argv[1]) as lab:
        lab.exec(["dd", "if=/dev/zero", "of=/dev/shm/filled", "bs=1M", "count=300"])
        print("in", LabPaths(lab.name).scratch.resolve().parent)
except MachineError as error:
    print(error.code, error)
"""


_FILL = """
import os, sys, time
from raidwright.core.errors import Unreachable
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.paths import LabPaths
with start(LabSpec(), name=sys.argv[1]) as lab:
    place = LabPaths(lab.name).scratch.resolve().parent
    with (place / "filled").open("wb") as file:
        room = os.statvfs(place)
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - 2**25)
    try:
        lab.exec(["dd", "if=/dev/zero", "of=/dev/shm/filled", "bs=1M", "count=500"])
    except Unreachable:
        while lab.is_alive():
            time.sleep(0.05)
        print(lab.ended())
"""


def _run(directory: Path, program: str, name: str, shm: str, places: str) -> str:
    """Return the output of ``program`` with /dev/shm mounted with options ``shm``, other places with ``places``."""
    namespace = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--map-root-user", "--mount"]
    script = (
        f"mount -t tmpfs -o {shm} none /dev/shm && mount -t tmpfs -o {places} none {directory} && "
        f'mount -t tmpfs -o {places} none /var/tmp && export TMPDIR={directory} && exec "$@"'
    )
    command = [*namespace, "sh", "-c", script, "sh", sys.executable, "-c", program, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name, for the length limit of socket names, which pytest's own may exceed."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.parametrize("shm", ["size=64m", "size=8g,noexec"])
def test_a_small_or_closed_dev_shm_is_passed_by(folder: Path, shm: str) -> None:
    assert _run(folder, _START, f"room-{os.getpid()}", shm, "size=4g") == f"in {folder}\n"


def test_an_end_by_itself_is_told_with_its_reason(folder: Path) -> None:
    """Its memory's place is filled by others while it runs."""
    said = _run(folder, _FILL, f"dies-{os.getpid()}", "size=64m", "size=3400m")
    assert said.startswith(f"The practice machine dies-{os.getpid()} has ended: its kernel ")
    assert "the place of its memory has no room left" in said
