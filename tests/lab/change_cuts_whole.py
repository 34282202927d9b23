"""Power cuts within reshapes, at places drawn by a seed, with mdadm 4.2 and 4.4: part of `make change-check`.

Whole and degraded, with program and helper killed before; ``CHANGE_SEED`` draws others. What is drawn first lies in the
critical section. The table goes to build/checks/change-cuts.csv.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.lab.image import Generation

from tests.kit import check, kernels

from .change_cuts import Cut, cut_and_continued, drawn
from .change_rig import ChangeRig

pytestmark = pytest.mark.lab
_SEED, _COUNT = int(os.environ.get("CHANGE_SEED", "35")), 15


@pytest.fixture(scope="module", params=kernels.tried(), ids=kernels.mdadm_of)
def generation(request: pytest.FixtureRequest) -> Generation:
    return Generation(request.param)


@pytest.fixture(scope="module")
def rig(generation: Generation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store"), generation=generation) as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.leave()


@pytest.mark.parametrize("cut", list(drawn(_SEED, _COUNT)), ids=str)
def test_it_is_brought_to_its_end(rig: ChangeRig, generation: Generation, tmp_path: Path, cut: Cut) -> None:
    came_up = cut_and_continued(rig, tmp_path, cut)
    check.add_to("change-cuts", (str(generation), _SEED, str(cut), came_up, rig.shape()[2], "data whole"))
