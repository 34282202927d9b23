"""A seeded sample of ``make prove``, on the mdadm of the kernel whose turn it is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

import pytest
from raidwright.core.md.layouts import Level
from raidwright.core.md.reshape.possibility import Needs
from raidwright.core.model.plan import Metadata, Plan
from raidwright.lab import machine
from raidwright.lab.image import generation_unasked

from ..kit import kernels
from ..prove import cells, creations, failures, growths, guest
from ..prove.growth_plans import growth_plans
from ..prove.plans import large_plans, random_plans

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]
SEED = 20261120  # of the first mdadm; each next looks at others
CREATIONS = 6
LARGE = 2
LAYOUTS = 3
GROWING, CHANGES = 2, 2


def test_the_core_says_what_md_does() -> None:
    mdadm = kernels.MDADM[generation_unasked()]
    seed = SEED + [*kernels.MDADM.values()].index(mdadm)
    rng = random.Random(seed)  # noqa: S311 - repeatable is the point
    layouts = rng.sample([plan for plan in cells.layouts() if plan.array.level is not Level.LINEAR], LAYOUTS)
    large = [plan for plan in large_plans() if plan.array.metadata is Metadata.V0_90]
    survivors = [one for one in failures.plans() if one.array.level is Level.RAID10 and len(one.array.members) == 4][:2]
    with machine.start(machine.LabSpec()) as lab:
        guest.install(lab)
        random_ones = list(islice(guest.possible(lab, random_plans(seed, 4 * CREATIONS)), CREATIONS))
        compared = [
            *creations.compare(lab, mdadm, random_ones),
            *creations.compare(lab, mdadm, rng.sample(large, LARGE)),
            *cells.compare(lab, mdadm, layouts),
            *growths.compare(lab, mdadm, _changes(rng, list(guest.possible(lab, growth_plans())))),
            *failures.compare(lab, survivors),
        ]
    assert len(random_ones) == CREATIONS
    assert len(compared) >= len(random_ones) + LARGE + LAYOUTS + GROWING * CHANGES
    assert not [comparison for comparison in compared if comparison.difference]


def _changes(rng: random.Random, plans: list[Plan]) -> Iterator[tuple[Plan, list[growths.Way]]]:
    """Yield some changes of some arrays; a backup file takes long, so ``make prove`` tests it."""
    for plan in rng.sample(plans, GROWING):
        quick = [way for way in growths.ways(plan) if not way.has_backup and way.without is not Needs.FINISH]
        yield plan, rng.sample(quick, CHANGES)
