"""Several windows side by side, and opening a plan's file from outside, by real keys and clicks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from raidwright.analysis.imagined import imagined_disks
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.ui.stations.plan.plan_file import write_plan_file

from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

ROOT = Path(__file__).parents[2]
_NOWHERE = ["--machine", "unix:path=/nowhere"]


def _plan(folder: Path, name: str) -> Path:
    disks = imagined_disks("4x8TB")
    path = folder / f"{name}.raidplan"
    write_plan_file(Plan(MdArray(Level.RAID6, tuple(disk.as_member() for disk in disks), name=name)), path)
    return path


def test_a_second_window_has_a_life_of_its_own(tmp_path: Path) -> None:
    path = _plan(tmp_path, "attic")
    with VirtualScreen() as screen, Pilot(screen, ["gui", str(path), *_NOWHERE], {}) as pilot:
        pilot.wait("command-words", lambda words: "/dev/md/attic " in words.text)
        pilot.key("ctrl+n")
        pilot.turn_to_second()
        # Keys go to the window focused by the window manager.
        assert "/nowhere" in pilot.wait("disks-notice-sentence", lambda notice: notice.active).text
        assert pilot.look("array-name") is None
        pilot.key("ctrl+q")
        pilot.turn_back()
        assert pilot.wait("array-name", lambda name: name.active).text == "attic"


def test_a_file_that_is_no_plan_is_said_in_the_window(tmp_path: Path) -> None:
    path = tmp_path / "wrong.raidplan"
    path.write_text("{}")
    with VirtualScreen() as screen, Pilot(screen, ["gui", str(path), *_NOWHERE], {}) as pilot:
        assert pilot.wait("file-what").text


def test_the_desktop_knows_plans_by_their_ending(tmp_path: Path) -> None:
    """Qt reads the shared MIME database as desktops do; the menu entry accepts its type of plans."""
    packages = tmp_path / "mime/packages"
    packages.mkdir(parents=True)
    kind = "org.raidwright.Raidwright.xml"
    (packages / kind).write_bytes((ROOT / "packaging/deb/raidwright" / kind).read_bytes())
    ask = (
        "import json, sys; from PySide6.QtCore import QMimeDatabase;"
        "kind = QMimeDatabase().mimeTypeForFile(sys.argv[1]);"
        "print(json.dumps([kind.name(), kind.comment(), kind.inherits('application/json')]))"
    )
    home = {"XDG_DATA_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path / "none"), "LANGUAGE": "en"}
    argv = [sys.executable, "-c", ask, str(_plan(tmp_path, "attic"))]
    told = json.loads(subprocess.run(argv, env=os.environ | home, capture_output=True, check=True).stdout)
    assert told == ["application/x-raidwright-plan", "Raidwright plan", True]
    entry = (ROOT / "packaging/deb/raidwright/org.raidwright.Raidwright.desktop").read_text(encoding="utf-8")
    assert "\nMimeType=application/x-raidwright-plan;\n" in entry
    assert "\nExec=raidwright gui %f\n" in entry
