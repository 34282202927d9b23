"""A computer that is rebooted and finds a disk missing; ``make boot-check`` has the full tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.lab.image import Generation

from tests.boot_check.life import DISKS, Life

pytestmark = pytest.mark.lab


def test_an_array_comes_back_as_it_was_configured_and_who_is_missing_is_told_and_mailed(tmp_path: Path) -> None:
    life = Life(tmp_path, Generation.TRIXIE, "boot-sample", pace=2.0)
    with life.started():
        life.build("raid6")
    with life.started(DISKS[1:]):
        life.look_after_start()
        life.look_for_what_is_lost([DISKS[0]])
        life.look_for_mail("a disk lost while it was off is mailed", "a disk is missing", DISKS[0].serial)
        life.look_for_post("and posted to the webhook", "a disk is missing", DISKS[0].serial)
    assert len(life.seen) == 8
    assert all(seen.held for seen in life.seen), life.seen
