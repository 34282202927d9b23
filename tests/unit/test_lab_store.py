"""Disks that are kept on the host: made once, empty and sparse, and named as the guest's kernel names them."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.lab.shelf import disks_from_text
from raidwright.lab.store import images, on_images


def test_images_are_made_once_and_keep_what_is_in_them(tmp_path: Path) -> None:
    disks = disks_from_text("2x8TB")
    state, first, second = images(tmp_path, disks)
    assert [path.stat().st_size for path in (first, second)] == [disk.size_bytes for disk in disks]
    assert state.stat().st_blocks == first.stat().st_blocks == 0  # sparse
    with second.open("r+b") as file:
        file.write(b"kept")
    assert images(tmp_path, disks) == (state, first, second)
    with second.open("rb") as file:
        assert file.read(4) == b"kept"


def test_disks_follow_the_root_the_overlay_and_the_state() -> None:
    assert [disk.backing for disk in on_images(disks_from_text("2x8TB"))] == ["/dev/ubdd", "/dev/ubde"]
    with pytest.raises(InputError, match="13 disks at most"):
        on_images(disks_from_text("14x8TB"))
