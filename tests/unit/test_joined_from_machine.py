"""The plan of a joined volume that runs: read from its arrays, or refused with the reason by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.bands import banded
from raidwright.core.model.plan import Member, Plan
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.machine.array_plan import inner_uuids, plan_of
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Array

from tests.kit.plans import volume_of
from tests.kit.seen_volume import seen_volume

_TB = 10**12
_DISKS = tuple(
    Member(f"wwn-0x500{n}", size * _TB, "WD", f"ZHZ{n}", sector_bytes=None) for n, size in enumerate((4, 4, 8, 12))
)
_VOLUME = banded(_DISKS, 1, name="tank").plan
_PLAN = Plan(_VOLUME)


def _seen(plan: Plan = _PLAN, *, holders: tuple[str, ...] = ("tank-data",), volume_bytes: int | None = None) -> Volume:
    """Return the running volume of ``plan``, of the same arrays as ``_PLAN``, as it is seen."""
    return seen_volume(plan, _PLAN, holders=holders, volume_bytes=volume_bytes)


def test_it_is_the_plan_that_was_built() -> None:
    tank = _seen()
    plan = plan_of(tank)
    assert [band.members for band in plan.top.inner] == [band.members for band in _VOLUME.arrays]
    assert capacity_of(plan.top).array_sectors == capacity_of(_VOLUME).array_sectors
    assert (plan.name, plan.homehost) == ("tank", "nas")
    uuids = inner_uuids(tank, ())
    assert uuids == ("00000000:0:0:0", "00000001:0:0:0")
    card = recovery_card(plan, BuiltArray(tank.uuid, "2026-11-26", uuids, None))
    assert "vgchange --activate y tank" in card
    assert all(uuid in card for uuid in uuids)


def test_a_disk_that_is_lost_to_one_array_counts_as_lost() -> None:
    lower, upper = _VOLUME.arrays
    gone = upper.members[0]
    assert isinstance(gone, Member)
    rest = tuple(None if isinstance(one, Member) and one.disk == gone.disk else one for one in lower.members)
    partly = replace(_VOLUME, arrays=(replace(lower, members=rest), upper))
    plan = plan_of(_seen(Plan(partly)))
    assert gone.disk not in {member.disk for member in plan.disks()}
    assert [band.members.count(None) for band in plan.top.inner] == [1, 1]


@pytest.mark.parametrize(("tank", "why"), [
    (_seen(holders=("tank-data", "tank-spare")), "other than one linear volume on its arrays (tank-spare)"),
    (_seen(holders=("tank-data_rimage_0",)), "other than one linear volume on its arrays (tank-data_rimage_0)"),
    (_seen(volume_bytes=_TB), "its size is another than one volume over all of its arrays has"),
    (seen_volume(_PLAN, kind="striped"), "LVM doesn't join its arrays one after the other; the volume is striped"),
    (seen_volume(_PLAN, kind="unknown"), "neither LVM's backup nor device-mapper's table tells"),
    (replace(_seen(), device=""), "its volume isn't active, so nothing tells how LVM joins its arrays"),
])  # fmt: skip
def test_another_volume_than_one_linear_is_refused_by_name(tank: Array, why: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_of(tank)
    assert "“tank”" in str(caught.value)
    assert why in str(caught.value)


def test_a_grown_volume_is_known_by_its_pieces() -> None:
    """As LVM has them, in their order: the card's table is that of device-mapper."""
    lower, upper = capacity_of(_VOLUME).inner
    extent = 8192
    whole = [(one.array_sectors - 2048) // extent * extent for one in (lower, upper)]
    first = whole[0] - 10 * extent
    pieces = ((0, 2048, first, first + whole[1], 2048 + first, 10 * extent), (first, 2048, whole[1]))
    tank = seen_volume(_PLAN, volume_bytes=512 * sum(whole), pieces=pieces)
    plan = plan_of(tank)
    volume = volume_of(plan)
    assert [(one.member, one.sectors) for one in volume.pieces] == [(0, first), (1, whole[1]), (0, 10 * extent)]
    assert capacity_of(plan.top).array_sectors == sum(whole)
    card = recovery_card(plan, BuiltArray(tank.uuid, "2026-11-26", inner_uuids(tank, ()), None))
    assert f"{first + whole[1]} {10 * extent} linear /dev/md/tank-0 {2048 + first}" in card
    with pytest.raises(PlanRefused, match="lie over one another"):
        capacity_of(replace(volume, pieces=(*volume.pieces, volume.pieces[0])))
    with pytest.raises(PlanRefused, match="leave it out"):
        capacity_of(replace(volume, pieces=volume.pieces[:1]))
