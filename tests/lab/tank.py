"""A practice machine with an empty raid5 called tank, for suites and sweeps."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray

from tests.kit.asking import ask

_DISKS = disks_from_text("7x2GB", at_memory_speed=True)


@pytest.fixture(scope="module")
def tank_lab() -> Iterator[Lab]:
    """A lab with an empty raid5 called tank on three of its disks."""
    with start(LabSpec(_DISKS)) as made:
        asyncio.run(asyncio.wait_for(_build(made), 240))
        made.exec(["mdadm", "--wait", "/dev/md/tank"], check=False)
        yield made


async def _build(lab: Lab) -> None:
    async with Machine.connect(lab.bus_address("admin")) as machine:
        while len(machine.snapshot.disks) < len(_DISKS):
            await asyncio.sleep(0.05)
        by_serial = {disk.serial: disk.as_member() for disk in machine.snapshot.disks}
        members = tuple(by_serial[disk.serial] for disk in _DISKS[:3])
        await ask(machine.helper, CreateArray(Plan(MdArray(Level.RAID5, members, "tank", assume_clean=True)), "tank"))


@pytest.fixture
def own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store runs in a folder of the test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def told_by(lab: Lab, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """Return the command line's JSON output for ``words``."""
    assert main([*words, "--json", "--machine", f"lab:{lab.name}"]) == 0
    return json.loads(capsys.readouterr().out)
