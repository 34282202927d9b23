"""UDisks2's objects as other machines printed them: which disks are listed, and what has them in use."""

from __future__ import annotations

import json
from pathlib import Path

from raidwright.core.model.disk import Disk
from raidwright.machine.udisks.inventory import disks_from

_FOREIGN = Path(__file__).with_name("foreign") / "disks"


def _disks(name: str) -> tuple[Disk, ...]:
    return disks_from(json.loads((_FOREIGN / name).read_text(encoding="utf-8")), {})


def test_a_file_system_that_is_mounted_through_a_loop_device_has_its_disk_in_use() -> None:
    (disk,) = _disks("disk-mounted-through-loop.udisks.json")
    assert disk.is_live
    assert not disk.is_takeable
    assert ("/mnt/l", "loop0") in [(use.detail, use.through) for use in disk.uses]


def test_a_reader_without_a_card_is_no_disk() -> None:
    assert "sde" not in {Path(disk.device).name for disk in _disks("disk-reader-without-card.udisks.json")}
