"""Prompts about many disks or arrays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from raidwright.core.model.plan import Member
from raidwright_helper.host.host import Host, UdevRecord
from raidwright_helper.host.seen import labels_of_disks
from raidwright_helper.verbs.arguments import listed

from .helper_house import put_disk


def test_a_prompt_looks_up_only_what_it_names() -> None:
    """Each look-up reads all of udev's records: for a plan of 400 members it once blocked the helper for a minute."""
    looked_up: list[str] = []

    def words(items: Sequence[str]) -> list[str]:
        looked_up.extend(items)
        return [f"disk {item}" for item in items]

    said = listed([str(number) for number in range(400)], words)
    assert said.startswith("disk 0, disk 1, ")
    assert said.endswith(f" and {400 - len(looked_up)} more")
    assert len(looked_up) < 40


def test_one_look_over_the_disks_names_them_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_disk(tmp_path, "sda", "ata-one", "WD80EFZX", "ZHZ1", 8 * 10**12)
    put_disk(tmp_path, "sdb", "ata-two", "WD40EFRX", "ZHZ2", 4 * 10**12)
    looks: list[int] = []
    looked_at = Host.udev

    def udev(self: Host, number: int) -> UdevRecord:
        looks.append(number)
        return looked_at(self, number)

    monkeypatch.setattr(Host, "udev", udev)
    labels_of_disks(Host(tmp_path), [])
    each_disk_once = len(looks)
    wanted = [Member("ata-two", 0), Member("ata-gone", 0), Member("ata-one", 0)]
    assert labels_of_disks(Host(tmp_path), wanted) == [
        "WD40EFRX ZHZ2 (4.00 TB)",
        "a disk that is not here",
        "WD80EFZX ZHZ1 (8.00 TB)",
    ]
    per_named_disk = 3
    assert len(looks) - each_disk_once <= each_disk_once + per_named_disk * 2
