"""A disk unplugged under an array, in short: in the real window on a virtual screen, and by the command line.

`make arrays-check` has the full tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.lab import machine, shelf
from raidwright.lab.machine import Lab

from tests.kit.pilot import Pilot
from tests.kit.screen import VirtualScreen

from .arrays_whole import FAST

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]
NAME = "lost-disk"
DISKS = "4x2GB"
SERIALS = [disk.serial for disk in shelf.disks_from_text(DISKS, at_memory_speed=True)]
(NEW,) = shelf.disks_from_text("2GB", first_number=77, at_memory_speed=True)
CREATE = (
    "mdadm --quiet --create /dev/md/tank --run --level=5 --raid-devices=3 --size=64M --chunk=64 --bitmap=internal"
    " /dev/sd[abc]; udevadm settle; mdadm --quiet --wait /dev/md/tank; udevadm settle; true"
)
PATIENCE_S = 240


@pytest.fixture
def own_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A machine with an array of three disks, called tank, and a free one."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with machine.start(machine.LabSpec(shelf.disks_from_text(DISKS, at_memory_speed=True)), name=NAME) as lab:
        lab.exec(["sh", "-c", f"{FAST}; {CREATE}"])
        yield lab


def _array_is_whole(lab: Lab) -> bool:
    return "[3/3] [UUU]" in lab.exec(["cat", "/proc/mdstat"]).stdout.decode()


def test_a_pulled_disk_is_seen_replaced_rebuilt_and_checked(own_lab: Lab, tmp_path: Path) -> None:
    with VirtualScreen() as screen, Pilot(screen, ["gui", "--machine", f"lab:{NAME}"], {}) as pilot:
        pilot.wait("array-state", lambda state: "healthy" in state.text, seconds=PATIENCE_S)  # the arrays come first
        pilot.click("rail-disks")
        pilot.wait("disks-table", lambda table: table.text.count("tank") == 3, seconds=PATIENCE_S)
        assert pilot.look("degraded-tank-bar") is None
        own_lab.pull_disk(SERIALS[1])
        said = pilot.wait("degraded-tank-what", seconds=PATIENCE_S).text
        assert "Slot 1" in said
        assert SERIALS[1] in said
        kept = pilot.wait("degraded-tank-more").text
        assert "No further disk may fail." in kept
        assert SERIALS[0] in kept
        screen.picture(tmp_path / "1-pulled.png")
        pilot.click("degraded-tank-open")
        pilot.wait(f"newcomer-{SERIALS[3]}")
        screen.picture(tmp_path / "2-choose.png")
        own_lab.add_disk(NEW)
        pilot.click(f"newcomer-{NEW.serial}", across=0.05, seconds=PATIENCE_S)
        pilot.click("repair-name")
        pilot.write("tank")
        screen.picture(tmp_path / "3-confirm.png")
        pilot.click("repair-go")
        ended = pilot.wait("repair-ended", seconds=PATIENCE_S).text
        assert "“tank” is healthy again." in ended
        assert pilot.look("degraded-tank-bar") is None
        screen.picture(tmp_path / "4-rebuilt.png")
        pilot.click("repair-check", seconds=PATIENCE_S)
        pilot.wait("repair-checked", lambda found: "nothing differs" in found.text, seconds=PATIENCE_S)
        screen.picture(tmp_path / "5-checked.png")
        pilot.click("repair-close")
        pilot.wait("array-state", lambda state: "healthy" in state.text)
    assert _array_is_whole(own_lab)


@pytest.fixture
def command(own_lab: Lab, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """``raidwright array`` on the lab: the JSON that it printed, or the sentence of its refusal (exit code 2)."""

    def call(act: str, *arguments: str, refused: bool = False) -> Any:
        status = main(["array", act, *arguments, "--machine", f"lab:{own_lab.name}", "--json"])
        out, err = capsys.readouterr()
        assert status == (2 if refused else 0), err
        return err.splitlines()[-1] if refused else json.loads(out)

    return call


def test_the_command_line_replaces_and_remembers(own_lab: Lab, tmp_path: Path, command: Callable[..., Any]) -> None:
    named = ("--yes-name", "tank")
    assert not command("list")[0]["lacks"]  # from now on its members are remembered
    assert "Nothing is missing" in command("replace", "tank", "--with", SERIALS[3], *named, refused=True)
    own_lab.exec(["sh", "-c", f"mdadm --quiet --fail /dev/md/tank /dev/sdb; mkfs.ext4 -q -F /dev/sdd; {FAST}"])
    own_lab.exec(["udevadm", "settle"])
    [lack] = command("list")[0]["lacks"]
    assert (lack["slot"], lack["last"]["member"]["serial"]) == (1, SERIALS[1])
    asked = ("replace", "tank", "--with", SERIALS[3])
    assert command(*asked, *named, refused=True).endswith("--remove ext4.")
    assert "Nothing was done." in command(*asked, "--yes-name", "tnak", refused=True)
    card = tmp_path / "card.txt"
    done = command(*asked, "--remove", "ext4", "--check", "--card", str(card), *named)
    assert (done["joined"], done["rebuilt"], done["check"]["mismatch_sectors"]) == ("rebuilds", True, 0)
    assert _array_is_whole(own_lab)
    text = card.read_text(encoding="utf-8")
    assert SERIALS[3] in text
    assert SERIALS[1] not in text
    # The card is correct: the array created anew by its last resort has the same content.
    own_lab.exec(["sh", "-c", "echo summer > /dev/md/tank; sync; blockdev --flushbufs /dev/md/tank"])
    lines = text[text.index("    mdadm --create") :].replace("\\\n", " ")
    own_lab.exec(
        ["sh", "-c", "udevadm settle; mdadm --quiet --stop /dev/md/tank; mdadm --quiet --zero-superblock /dev/sd[acd]"]
    )
    own_lab.exec(["sh", "-c", f"yes | {lines.strip()} --quiet; udevadm settle"])
    assert own_lab.exec(["head", "-n", "1", "/dev/md/tank"]).stdout == b"summer\n"
