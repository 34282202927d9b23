"""The real program by real clicks, without a reachable machine: the first start, before buying, and the second."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

ARGUMENTS = ["gui", "--machine", "unix:path=/nonexistent"]


def test_from_the_first_start_to_a_plan_for_disks_to_buy(tmp_path: Path) -> None:
    home = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    with VirtualScreen(1280, 800) as screen:
        with Pilot(screen, ARGUMENTS, home) as pilot:
            pilot.wait("welcome", seconds=60)
            screen.picture(tmp_path / "1-welcome.png")
            pilot.click("welcome-buying")
            for pool in ("4x8TB", "6x6TB"):
                pilot.click("buying-pool")
                pilot.key("ctrl+a")
                pilot.write(pool)
                pilot.key("Return")
            table = pilot.wait("buying-table", lambda seen: seen.text.count(" MB/s") == 0 and "24.0 TB" in seen.text)
            assert len(table.text.splitlines()) == 2
            screen.picture(tmp_path / "2-compared.png")
            pilot.click("buying-plan")
            for choice in ("2", "files", "yes", "ours"):
                screen.picture(tmp_path / f"walk-{choice}.png")
                pilot.click(f"walk-choice-{choice}")
            pilot.wait("walk-choice-128")
            screen.picture(tmp_path / "walk-chunk.png")
            pilot.key("Return")
            pilot.click("explain-level")
            assert "striping" in pilot.wait("explanation-meaning").text
            screen.picture(tmp_path / "3-explained.png")
            pilot.key("Escape")
            assert pilot.wait("plan-next").enabled
            pilot.key("ctrl+comma")
            pilot.click("settings-theme-dark")
            screen.picture(tmp_path / "4-dark.png")
            pilot.click("settings-close")
        kept = QSettings(str(tmp_path / "raidwright" / "window.ini"), QSettings.Format.IniFormat)
        assert [kept.value(name) for name in ("theme", "greeted", "walked")] == ["dark", "yes", "yes"]
        assert not kept.value("geometry").isEmpty()
        with Pilot(screen, ARGUMENTS, home) as pilot:
            pilot.wait("disks-notice-also", seconds=60)
            assert pilot.look("welcome") is None
            screen.picture(tmp_path / "5-again.png")
