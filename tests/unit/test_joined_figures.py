"""Figures of joined plans: loss against an independent chain of whole disks, speed by place, rebuild, findings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from raidwright.analysis.assessment import assess
from raidwright.analysis.assessment_json import as_json
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.of_plan import performance_of
from raidwright.analysis.performance.prediction import Predictor
from raidwright.analysis.reliability.assumptions import HOURS_A_YEAR, Assumptions
from raidwright.analysis.reliability.loss import ideal_loss, loss_of
from raidwright.analysis.reliability.scenarios import parts_of
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.bands import banded
from raidwright.core.lvm.joined import slices_of
from raidwright.core.model.disk import Disk, Health
from raidwright.core.model.plan import Plan
from raidwright.core.system.workload import Workload
from raidwright.reading.pool import imagined_members, parse_pool

from tests.kit.plans import volume_of

HEAP = "2x4TB+1x8TB+1x12TB"


def heap(pool: str = HEAP, tolerance: int = 1, *, copies: bool = False) -> Plan:
    return Plan(banded(imagined_members(parse_pool(pool)), tolerance, copies=copies).plan)


def disks_of(plan: Plan) -> list[str]:
    return list(slices_of(volume_of(plan)))


def is_lost(plan: Plan, failed: frozenset[str]) -> bool:
    """Each band counted by hand: more lost slices than it tolerates, or a whole group of raid10's near copies."""
    for band in volume_of(plan).arrays:
        units = [disk.failure_unit for disk in band.disks()]
        gone = [slot for slot, unit in enumerate(units) if unit in failed]
        if band.level == "raid1":
            lost = len(gone) == len(units)
        elif band.level == "raid10":
            copies = int((band.layout or "n2")[1:])
            starts = range(0, len(units) * copies, copies)
            windows = [{(start + step) % len(units) for step in range(copies)} for start in starts]
            lost = any(window <= set(gone) for window in windows)
        else:
            lost = len(gone) > band.level.parity_disks
        if lost:
            return True
    return False


def chance_of_loss(plan: Plan, rate: float, repair_hours: dict[str, float], years: float) -> float:
    """The chance by the exponential of the generator over all sets of failed disks, each repaired in its own time."""
    disks = disks_of(plan)
    sets = [frozenset(disks[n] for n in range(len(disks)) if mask >> n & 1) for mask in range(1 << len(disks))]
    alive = [one for one in sets if not is_lost(plan, one)]
    place = {one: number for number, one in enumerate(alive)}
    generator = np.zeros((len(alive) + 1,) * 2)
    for one, row in place.items():
        for disk in disks:
            if disk in one:
                generator[row, place[one - {disk}]] += 1 / repair_hours[disk]
            else:
                generator[row, place.get(one | {disk}, len(alive))] += rate
    generator -= np.diag(generator.sum(axis=1))
    squarings = 40
    step = np.eye(len(alive) + 1) + generator * (years * HOURS_A_YEAR / 2**squarings)
    for _ in range(squarings):
        step = step @ step
    return float(step[0, -1])


POOLS = [(HEAP, 1, False), ("3x4TB+2x8TB", 1, True), ("3x4TB+3x8TB", 2, False), ("1x2TB+2x4TB+1x8TB+2x14TB", 2, False),
         ("2x3TB+2x4TB+2x6TB", 1, True)]  # fmt: skip


@pytest.mark.parametrize(("pool", "tolerance", "copies"), POOLS)
def test_loss_over_whole_disks_against_a_chain_of_all_sets(pool: str, tolerance: int, copies: bool) -> None:
    plan = heap(pool, tolerance, copies=copies)
    (part,) = parts_of(plan, capacity_of(plan.top), Assumptions.of(plan))
    waiting, mean_hours = 80.0, float(part.rebuild_hours()[0])
    taken = {disk: sum(one.size_bytes for one in slices) for disk, slices in slices_of(volume_of(plan)).items()}
    mean = sum(taken.values()) / len(taken)
    own = {disk: waiting + mean_hours * size / mean for disk, size in taken.items()}
    ours = ideal_loss(plan, 0.05, waiting + mean_hours, 5.0).p_loss
    assert ours == pytest.approx(chance_of_loss(plan, 0.05 / HOURS_A_YEAR, own, 5.0), rel=0.02)


def test_a_rebuild_takes_the_sum_of_its_bands() -> None:
    plan = heap()
    performance = performance_of(plan)
    bands = [performance_of(Plan(replace(band, name="x"))) for band in volume_of(plan).arrays]
    assert performance.rebuild_hours is not None
    assert loss_of(plan).rebuild_hours == pytest.approx(performance.rebuild_hours)
    hours = [band.rebuild_hours or 0.0 for band in bands]
    assert max(hours) < performance.rebuild_hours
    assert sum(hours) * 0.5 < performance.rebuild_hours < sum(hours) * 1.5  # their slices' own places are slower


def test_speed_is_the_mean_of_the_bands_by_space() -> None:
    plan = heap()
    predictor = Predictor(plan, HostModel())
    whole = predictor.predict(Workload.SEQUENTIAL_READ)
    first = predictor.predict(Workload.SEQUENTIAL_READ, span=0.5)
    assert whole is not None
    assert first is not None
    assert first.mb_s > whole.mb_s  # three disks' data, then one's
    array = predictor.array()
    assert array is not None
    assert [len(band.drives) for band in array.bands] == [4, 2]
    outer, inner = (band.drives[-1] for band in array.bands)
    assert outer is not None
    assert inner is not None
    assert inner.read_b_s == pytest.approx(outer.read_b_s * outer.inner_share, rel=0.01)  # it begins where that ends


def test_an_assessment_has_every_key() -> None:
    found = as_json(assess(heap()))
    assert found["survival"] == {"1": [4, 4], "2": [0, 6], "3": [0, 4], "4": [0, 1]}
    assert all(found[key] for key in ("performance", "loss", "rebuild_hours", "rebuild", "findings", "command"))


def test_findings_are_told_of_every_band_and_disk() -> None:
    plan = heap()
    disks = {disk: Disk(disk, "/dev/x", "", disk, "", 10**12) for disk in disks_of(plan)}
    last = disks_of(plan)[-1]
    disks[last] = replace(disks[last], health=Health(failing=True))
    found = {finding.code: finding for finding in assess(plan, disks).findings}
    assert found["disk-failing"].disks == (last,)
    clean = tuple(replace(band, assume_clean=True) for band in volume_of(plan).arrays)
    codes = [finding.code for finding in assess(plan.on(replace(volume_of(plan), arrays=clean))).findings]
    assert "assume-clean" in codes
