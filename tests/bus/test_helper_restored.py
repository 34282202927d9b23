"""Arrays whose dismantling was undone: started by udev, or by the helper where udev doesn't."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from raidwright_helper.acts import restored
from raidwright_helper.host import md

_A, _B, _TANK = "0a0a0a0a:0:0:0", "0b0b0b0b:0:0:0", "0c0c0c0c:0:0:0"
_OF = {"a": ("1", "2"), "b": ("3", "4"), "tank": (md.uuid_path(_A), md.uuid_path(_B))}


class Machine:
    """Disks 1 to 4, arrays a and b of two each, and tank of both; md starts what has been given all of its members."""

    def __init__(self, *, assembles: bool = True) -> None:
        self.assembles = assembles
        self.given: list[str] = []
        self.started: list[str] = []

    def start(self, name: str) -> None:
        """Let an array run."""
        self.started.append(md.uuid_path({"a": _A, "b": _B, "tank": _TANK}[name]))

    async def give(self, node: str) -> None:
        """Take a member as mdadm --incremental does."""
        self.given.append(node.removeprefix("/dev/disk/by-id/disk-"))
        for name, members in _OF.items():
            if self.assembles and set(members) <= set(self.given) and self.given[-1] in members:
                self.start(name)

    def number_of(self, path: str) -> int | None:
        """Return the number of a disk, or of an array that runs."""
        if path.startswith("/dev/disk/by-id/disk-"):
            return int(path.rpartition("-")[2])
        return 200 if path in self.started else None

    def holders(self, number: int) -> tuple[int, ...]:
        """Return the array that has the disk."""
        return (100 if number < 3 else 101,) if self.assembles and str(number) in self.given else ()


@pytest.fixture
def undone(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """Return what the undone dismantling of arrays ``uuids`` on ``disks`` comes to; udev does nothing."""
    monkeypatch.setattr(restored, "_UDEV_SECONDS", -1.0)
    monkeypatch.setattr(restored, "_LOOK_SECONDS", 0.0)

    def come(machine: Machine, disks: str, *uuids: str) -> bool:
        monkeypatch.setattr(md, "give", machine.give)
        members = [SimpleNamespace(member=SimpleNamespace(id=f"disk-{disk}", partition=None)) for disk in disks]
        note = SimpleNamespace(fields={"uuids": uuids})
        build = cast("Any", SimpleNamespace(last=lambda _step: note, members=members, name="tank"))
        return asyncio.run(restored.start_restored(cast("Any", machine), build, []))

    return come


def test_a_single_array_runs_again_where_udev_gives_md_no_changed_member(undone: Callable[..., bool]) -> None:
    machine = Machine()
    assert not undone(machine, "12", _A)  # no volume
    assert machine.started == [md.uuid_path(_A)]


def test_an_array_of_arrays_is_given_these(undone: Callable[..., bool]) -> None:
    machine = Machine()
    undone(machine, "1234", _A, _B, _TANK)
    assert machine.started == [md.uuid_path(_A), md.uuid_path(_B), md.uuid_path(_TANK)]


def test_arrays_that_mdadm_may_not_start_are_waited_for_no_longer(undone: Callable[..., bool]) -> None:
    machine = Machine(assembles=False)
    undone(machine, "12", _A)
    assert machine.started == []


def test_what_udev_starts_is_left_to_it(undone: Callable[..., bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restored, "_UDEV_SECONDS", 60.0)
    machine = Machine()
    machine.start("a")
    undone(machine, "12", _A)
    assert machine.given == []
