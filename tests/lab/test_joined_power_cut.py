"""The power is cut within the reshape of a joined volume that grows; it is brought back, and the growth goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from .power_cuts import RESHAPE, CutGrowth

pytestmark = pytest.mark.lab


def test_a_growth_that_power_cut_off_is_told_and_goes_on(tmp_path: Path) -> None:
    with CutGrowth(tmp_path) as growth:
        growth.cut_at(RESHAPE)
        volume = growth.state()
        assert (len(volume["bands"]), volume["growth_cut_off"]) == (2, True)
        growth.finish()
