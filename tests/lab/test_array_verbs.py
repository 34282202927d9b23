"""Running arrays, by the command line, with a real md: in short (`make arrays-check` has the full tests)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.md.layouts import Level
from raidwright.core.protocol.facts import CheckState
from raidwright.lab.machine import Lab
from raidwright.operations.builds import Undo

from tests.kit.asking import ask

from .arrays_whole import CLEAN, FAST, Scene, run

pytestmark = pytest.mark.lab


@pytest.fixture
def command(lab: Lab, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """``raidwright array`` on the lab: the JSON that it printed, or the sentence of its refusal (exit code 2)."""

    def call(act: str, *arguments: str, refused: bool = False) -> Any:
        status = main(["array", act, *arguments, "--machine", f"lab:{lab.name}", "--json"])
        out, err = capsys.readouterr()
        assert status == (2 if refused else 0), err
        return err.splitlines()[-1] if refused else json.loads(out)

    return call


@pytest.fixture
def tank(lab: Lab) -> Any:
    """A mirror called tank, of two of the lab's disks; they are left empty."""
    lab.exec(["sh", "-c", FAST])
    found: list[Scene] = []

    async def build(scene: Scene) -> None:
        await scene.build(level=Level.RAID1, members=scene.members[:2], chunk_kib=None)
        found.append(scene)

    run(lab, build)
    yield found[0]
    lab.exec(["sh", "-c", CLEAN])


def test_an_array_lives_fails_recovers_ends_and_comes_back(lab: Lab, tank: Scene, command: Callable[..., Any]) -> None:
    first, second = (member.serial for member in tank.members[:2])
    named = ("--yes-name", "tank")
    assert [(one["name"], one["uuid"]) for one in command("list")] == [("tank", tank.uuid)]
    assert "Nothing was done." in command("fail", "tank", first, "--yes-name", "tnak", refused=True)
    assert "--yes-name tank" in command("stop", "tank", refused=True)
    assert "No disk goes by" in command("fail", "tank", "/dev/sda", *named, refused=True)
    assert command("fail", "tank", first, *named)["missing"] == 1
    assert "would lose data" in command("fail", "tank", second, *named, refused=True)
    command("remove", "tank", first, *named)
    assert command("re-add", tank.uuid, first, *named)["came_back"] == "caught-up"
    asyncio.run(tank.whole())
    command("check", "tank")
    asyncio.run(tank.whole())
    latest = command("checks")[0]
    assert (latest["uuid"], latest["state"], latest["mismatch_sectors"]) == (tank.uuid, CheckState.DONE, 0)
    tank.sh(f"mkfs.ext4 -q -F {tank.node} && mount {tank.node} /mnt && echo summer > /mnt/photo")
    assert "mounted at /mnt" in command("dismantle", "tank", "--give-up", "ext4", *named, refused=True)
    tank.sh("umount /mnt")
    assert command("dismantle", "tank", *named, refused=True).endswith("--give-up ext4.")
    done = command("dismantle", "tank", "--give-up", "ext4", *named)
    assert not tank.sh("wipefs --no-act --noheadings /dev/sd[ab]")

    async def undo(scene: Scene) -> None:
        await ask(scene.helper, Undo(done["build_id"]))

    run(lab, undo)
    tank.sh("udevadm settle")
    assert tank.sh("mount /dev/md/tank /mnt && cat /mnt/photo && umount /mnt") == "summer"
    command("stop", "tank", *named)
    assert "active" not in tank.sh("cat /proc/mdstat")
