"""A practice machine's lessons, end to end; minutes, so under `make practice-check`.

On 4 × 8 TB with each file system: an array, a write benchmark, “What next”, 2 GB of files written and read back; and
“What next” by clicks in the real window. On 4 × 4 GB: a disk unplugged under the files, a new one plugged in, the
rebuild to its end, and md's check of all of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.core.md.layouts import Level
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit import steps
from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

from .house import House

pytestmark = pytest.mark.lab
_MAKE_SECONDS = 90
_LEVELS = {FileSystemKind.EXT4: Level.RAID5, FileSystemKind.XFS: Level.RAID10, FileSystemKind.BTRFS: Level.RAID5}


@pytest.mark.parametrize("kind", list(_LEVELS))
def test_what_next_leaves_a_sound_array_on_large_disks(kind: FileSystemKind) -> None:
    with start(LabSpec(disks_from_text("4x8TB", at_memory_speed=True))) as lab:
        house = House(lab)
        house.build(_LEVELS[kind])
        assert house.write_benchmark(10).mb_s > 0
        house.furnish(kind, 2048)
        house.read_back()
        states = {house.says(f"dev-{disk}/state") for disk in ("sda", "sdb", "sdc", "sdd")}
        assert states <= {"in_sync", "spare"}  # raid5 builds its last member as a spare


@pytest.mark.parametrize("kind", list(_LEVELS))
def test_what_next_is_followed_in_the_window(kind: FileSystemKind, tmp_path: Path) -> None:
    with (
        start(LabSpec(disks_from_text("4x8TB", at_memory_speed=True))) as lab,
        VirtualScreen() as screen,
        Pilot(screen, ["gui", "--machine", f"lab:{lab.name}"], {"XDG_DATA_HOME": str(tmp_path)}) as pilot,
    ):
        steps.choose_disks(pilot, 4)
        pilot.click("disks-next")
        steps.review(pilot)
        steps.build(pilot, "tank")
        pilot.click("next-kind")
        pilot.write(kind)
        pilot.key("Return")
        pilot.click("next-make")
        pilot.click("next-mount", seconds=_MAKE_SECONDS)
        pilot.click("next-show", seconds=_MAKE_SECONDS)
        pilot.wait("next-difference", lambda seen: "/srv/tank" in seen.text, seconds=_MAKE_SECONDS)
        screen.picture(tmp_path / "shown.png")
        pilot.click("next-write")
        pilot.wait("next-put-back", seconds=_MAKE_SECONDS)
        house = House(lab, Path(lab.exec(["readlink", "/dev/md/tank"]).stdout.decode().strip()).name)
        house.fill(2048)
        house.read_back()
        assert house.says("degraded") == "0"
        assert pilot.wait("check-file-system").text.startswith(f"✓  File system: {kind}")
        assert pilot.wait("check-place").text == "✓  Mounted at /srv/tank"
        assert pilot.look("degraded-tank-bar") is None
        screen.picture(tmp_path / "written.png")


@pytest.mark.parametrize("kind", list(_LEVELS))
def test_a_pulled_disk_is_replaced_under_files_and_all_is_sound(kind: FileSystemKind) -> None:
    with start(LabSpec(disks_from_text("4x4GB", at_memory_speed=True))) as lab:
        house = House(lab)
        house.build(_LEVELS[kind])
        house.furnish(kind, 2048)
        house.replace(lab.disks()[1], disks_from_text("4GB", first_number=5, at_memory_speed=True)[0])
        house.read_back()
        house.check()
        house.read_back()
