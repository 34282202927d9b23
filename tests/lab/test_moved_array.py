"""An array built on one computer, moved to another with another mdadm and name, taken over there and renamed."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from raidwright.lab import shelf
from raidwright.lab.image import Generation

from tests.boot_check.life import Life
from tests.kit.listener import GOT, INSTALL, PORT

pytestmark = pytest.mark.lab
_DISKS = shelf.disks_from_text("3x128MB", at_memory_speed=True)
_PLACE = "/srv/films"
_PATIENCE_S = 120.0


def _built(folder: Path) -> Life:
    """Build an array with a file on it on Debian 12, as a user would, and shut the computer down."""
    life = Life(folder, Generation.BOOKWORM, "moved-from")
    with life.started(_DISKS):
        life.sh("hostname oldnas; echo oldnas > /etc/hostname")
        found = life.raidwright("disks")
        members = [{key: disk[key] for key in ("id", "serial", "size_bytes", "model")} for disk in found]
        plan = folder / "plan.json"
        plan.write_text(json.dumps({"name": "films", "level": "raid5", "bitmap": "internal", "members": members}))
        life.raidwright("build", str(plan), "--yes-name", "films")
        life.raidwright("filesystem", "make", "films", "--yes-name", "films")
        life.raidwright("filesystem", "mount", "films", "--at", _PLACE, "--yes-name", "films")
        assert life.until("mdadm --wait /dev/md/films; grep -q idle /sys/block/md*/md/sync_action")
        life.sh(f"echo summer > {_PLACE}/kept; sync")
        life.uuid = life.sh("mdadm --detail --export /dev/md/films | sed -n s/MD_UUID=//p")
    return life


def _carry(old: Path, new: Path) -> None:
    """Put the disks, and nothing else of the old computer, into the new one."""
    new.mkdir(parents=True)
    for disk in _DISKS:
        for part in old.glob(f"{disk.serial}.*"):
            shutil.copy(part, new / part.name)


def _arrived(life: Life) -> dict[str, Any]:
    """Return the array as it is listed, once UDisks2 has seen all of its disks."""
    end, arrays = time.monotonic() + _PATIENCE_S, []
    while time.monotonic() < end:
        arrays = life.raidwright("array", "list")
        if [array["members_here"] for array in arrays] == [len(_DISKS)]:
            return dict(arrays[0])
    raise AssertionError(f"{arrays}\n{life.sh('cat /proc/mdstat; udisksctl dump | grep -A40 mdraid')}")


def _taken_over(life: Life, uuid: str) -> None:
    """Plug the disks in, look at the array, take it over with its lines, and have its card and messages."""
    assert life.lab is not None
    life.lab.add_disks(_DISKS)
    array = _arrived(life)
    assert (array["uuid"], array["is_foreign"], array["homehost"]) == (uuid, True, "oldnas")
    assert "the name of the computer “oldnas”" in " ".join(life.says("array", "list").split())
    assert "4.4" in life.sh("mdadm --version 2>&1")
    dry = life.raidwright("array", "take-over", array["name"], "--mount", _PLACE, "--dry-run")
    assert dry["steps"]
    taken = life.raidwright(
        "array", "take-over", array["name"], "--name", "films", "--mount", _PLACE, "--yes-name", array["name"]
    )
    assert taken["taken_over"]["name"] == "films"
    assert any(uuid in line for line in taken["lines"])
    [array] = life.raidwright("array", "list")
    assert (array["name"], array["uuid"], array["is_foreign"], array["mounted_at"]) == ("films", uuid, False, _PLACE)
    assert life.sh(f"cat {_PLACE}/kept") == "summer"
    card = life.folder / "card.txt"
    life.raidwright("array", "card", "films", "--to", str(card))
    text = card.read_text(encoding="utf-8")
    assert uuid in text
    assert all(disk.serial in text for disk in _DISKS)
    life.sh(INSTALL)
    life.raidwright("alerts", "--webhook", f"http://127.0.0.1:{PORT}/films", "--kind", "ntfy")


def _renamed(life: Life, uuid: str) -> None:
    """Give it another name, which its lines and the next boot have as well."""
    refused = life.refuses("array", "change", "films", "--name", "movies", "--yes-name", "films")
    assert _PLACE in refused
    life.raidwright("filesystem", "unmount", "films", "--yes-name", "films")
    life.raidwright("array", "change", "films", "--name", "movies", "--yes-name", "films")
    [array] = life.raidwright("array", "list")
    assert (array["name"], array["uuid"], array["is_foreign"]) == ("movies", uuid, False)
    lines = life.sh("grep ^ARRAY /etc/mdadm/mdadm.conf")
    assert "/dev/md/movies" in lines
    assert "films" not in lines
    life.raidwright("filesystem", "mount", "movies", "--at", _PLACE, "--yes-name", "movies")
    assert life.sh(f"cat {_PLACE}/kept") == "summer"


def test_an_array_moves_to_another_computer_and_is_at_home_there(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    uuid = _built(old).uuid
    assert uuid
    _carry(old / "store", new / "store")
    life = Life(new, Generation.TRIXIE, "moved-to")
    with life.started(()):
        life.sh("hostname newnas; echo newnas > /etc/hostname")
        _taken_over(life, uuid)
        _renamed(life, uuid)
    left = _DISKS[:2]
    with life.started(left):  # the next boot, which a disk doesn't survive
        assert life.until(f"mountpoint -q {_PLACE}"), life.sh("systemctl --failed; cat /proc/mdstat; ls /dev/md")
        assert life.sh(f"cat {_PLACE}/kept") == "summer"
        assert life.sh("mdadm --detail --export /dev/md/movies | sed -n s/MD_UUID=//p") == uuid
        assert life.until(f"grep -F 'a disk is missing' {GOT} | grep -qF {_DISKS[2].serial}"), life.sh(f"cat {GOT}")
