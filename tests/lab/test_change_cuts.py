"""A sample of the power cuts of ``make change-check``: in the critical section, and with a member failed before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .change_cuts import Cut, cut_and_continued, drawn
from .change_rig import ChangeRig

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store")) as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.leave()


@pytest.mark.parametrize("cut", list(drawn(0, 2)), ids=str)
def test_a_cut_change_is_brought_to_its_end(rig: ChangeRig, tmp_path: Path, cut: Cut) -> None:
    cut_and_continued(rig, tmp_path, cut)
