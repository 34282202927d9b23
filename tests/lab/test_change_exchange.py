"""Members exchanged for larger disks, one by one, over power cuts; then the array and its file system grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from .change_exchange import DISKS, exchanged_over_power_cuts
from .change_rig import ChangeRig

pytestmark = pytest.mark.lab


def test_four_members_are_exchanged_over_power_cuts_and_then_the_array_grows(tmp_path: Path) -> None:
    (store := tmp_path / "store").mkdir()
    with ChangeRig(store, DISKS) as rig:
        first = rig.serials()[4]
        exchanged_over_power_cuts(rig, tmp_path)
        smaller = rig.change("--use-larger-disks", rig.serials()[0], code=2)
        assert "has no place: no member is smaller than it" in smaller
        assert rig.change("--use-larger-disks", first)["steps"] == []
