"""A seeded sample of ``make prove``, on the older and the newer mdadm."""

from __future__ import annotations

import random

import pytest
from raidwright.core.layouts import Level
from raidwright.core.mdadm_versions import MDADM_4_2, MDADM_4_4, MdadmVersion
from raidwright.lab import machine
from raidwright.lab.image import Generation

from ..prove import cells, creations, failures, guest
from ..prove.plans import random_plans

SEED = 20261120
CREATIONS = 25
LAYOUTS = 12


@pytest.mark.parametrize(
    ("generation", "mdadm"), [(Generation.BOOKWORM, MDADM_4_2), (Generation.TRIXIE, MDADM_4_4)], ids=["4.2", "4.4"]
)
def test_the_core_says_what_md_does(generation: Generation, mdadm: MdadmVersion) -> None:
    layouts = random.Random(SEED).sample([plan for plan in cells.layouts() if plan.level is not Level.LINEAR], LAYOUTS)  # noqa: S311
    survivors = [plan for plan in failures.plans() if plan.level is Level.RAID10 and len(plan.members) == 4][:3]
    with machine.start(machine.LabSpec(generation=generation)) as lab:
        guest.install(lab)
        compared = [
            *creations.compare(lab, mdadm, random_plans(SEED, CREATIONS)),
            *cells.compare(lab, mdadm, layouts),
            *failures.compare(lab, survivors),
        ]
    assert len(compared) >= CREATIONS + LAYOUTS
    assert not [comparison for comparison in compared if comparison.difference]
