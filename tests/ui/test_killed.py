"""kill -9 in the middle of planning: the next start offers the plan, by real clicks."""

from __future__ import annotations

import time
from pathlib import Path

from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

_NOWHERE = ["gui", "--machine", "unix:path=/nowhere"]
_KEPT_WITHIN_SECONDS = 180.0


def _kept(folder: Path) -> bool:
    return any("attic" in path.read_text() for path in folder.rglob("*.json"))


def test_a_window_that_is_killed_loses_no_plan(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with VirtualScreen() as screen:
        with Pilot(screen, _NOWHERE, state) as pilot:
            pilot.click("disks-notice-also")
            pilot.key("ctrl+a")
            pilot.write("4x8TB")
            pilot.click("buying-add")
            pilot.click("buying-plan")
            pilot.click("level-raid6")
            pilot.click("array-name")
            pilot.key("ctrl+a")
            pilot.write("attic")
            command = pilot.wait("command-words", lambda words: "/dev/md/attic " in words.text).text
            end = time.monotonic() + _KEPT_WITHIN_SECONDS
            while not _kept(tmp_path) and time.monotonic() < end:
                time.sleep(0.05)
            pilot.kill()
        with Pilot(screen, _NOWHERE, state) as pilot:
            assert "attic" in pilot.wait("draft-what").text
            pilot.click("draft-open")
            pilot.wait("command-words", lambda words: words.text == command)
            assert pilot.look("draft-what") is None
        assert not list(tmp_path.rglob("*.json"))  # closing was intended
