"""The plan of a joined volume that runs: read from its arrays, or refused with the reason by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.core.errors import InputError
from raidwright.core.md.bands import banded
from raidwright.core.md.capacity import capacity_of
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.machine.array_plan import inner_uuids, plan_of
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.values import Array, ArrayDevice, JoinedVolume

_TB = 10**12
_DISKS = tuple(
    Member(f"wwn-0x500{n}", size * _TB, "WD", f"ZHZ{n}", sector_bytes=None) for n, size in enumerate((4, 4, 8, 12))
)
_PLAN = banded(_DISKS, 1, name="tank").plan


def _seen(plan: Plan = _PLAN, *, holders: tuple[str, ...] = ("tank-data",), volume_bytes: int | None = None) -> Array:
    """Return the running volume of ``plan``, of the same arrays as ``_PLAN``, as it is seen."""
    volume = JoinedVolume("tank", "/dev/dm-0", volume_bytes or capacity_of(_PLAN).array_bytes)
    bands = [
        _band(place, band, volume, replace(ArrayFacts(), holders=holders)) for place, band in enumerate(plan.inner)
    ]
    (tank,) = with_volumes(bands)
    return tank


def _band(place: int, band: Plan, volume: JoinedVolume, facts: ArrayFacts) -> Array:
    inner = capacity_of(_PLAN).inner[place]
    places = tuple(
        ArrayDevice(slot, f"/dev/sd{slot}{place}", ("in_sync",), member)
        for slot, member in enumerate(band.members)
        if isinstance(member, Member)
    )
    known = replace(
        facts,
        level=str(band.level),
        layout=band.effective_layout or "",
        metadata="1.2",
        bitmap="internal",
        slots=len(band.members),
        component_size_kib=inner.component_size_kib or 0,
        size_bytes=inner.array_bytes,
    )
    return Array(
        f"{place:08x}:0:0:0",
        f"tank-{place}",
        str(band.level),
        f"/dev/md{place}",
        inner.array_bytes,
        band.effective_chunk_kib,
        running=True,
        degraded=0,
        slots=len(band.members),
        places=places,
        members=tuple(place.member for place in places if place.member),
        facts=known,
        volume=volume,
        homehost="nas",
    )


def test_it_is_the_plan_that_was_built() -> None:
    tank = _seen()
    plan = plan_of(tank)
    assert [band.members for band in plan.inner] == [band.members for band in _PLAN.inner]
    assert capacity_of(plan).array_sectors == capacity_of(_PLAN).array_sectors
    assert (plan.name, plan.homehost) == ("tank", "nas")
    uuids = inner_uuids(tank, ())
    assert uuids == ("00000000:0:0:0", "00000001:0:0:0")
    card = recovery_card(plan, BuiltArray(tank.uuid, "2026-11-26", uuids, None))
    assert "vgchange --activate y tank" in card
    assert all(uuid in card for uuid in uuids)


def test_a_disk_that_is_lost_to_one_array_counts_as_lost() -> None:
    lower, upper = _PLAN.inner
    gone = upper.members[0]
    assert isinstance(gone, Member)
    rest = tuple(None if isinstance(one, Member) and one.disk == gone.disk else one for one in lower.members)
    partly = replace(_PLAN, members=(replace(lower, members=rest), upper))
    plan = plan_of(_seen(partly))
    assert gone.disk not in {member.disk for member in plan.disks()}
    assert [band.members.count(None) for band in plan.inner] == [1, 1]


@pytest.mark.parametrize(("tank", "why"), [
    (_seen(holders=("tank-data", "tank-spare")), "other than one linear volume on its arrays (tank-spare)"),
    (_seen(holders=("tank-data_rimage_0",)), "other than one linear volume on its arrays (tank-data_rimage_0)"),
    (_seen(volume_bytes=_TB), "its size is another than one volume over all of its arrays has"),
    (replace(_seen(), running=False), "its volume isn't active, so nothing tells how LVM joins its arrays"),
])  # fmt: skip
def test_another_volume_than_one_linear_is_refused_by_name(tank: Array, why: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_of(tank)
    assert "“tank”" in str(caught.value)
    assert why in str(caught.value)
