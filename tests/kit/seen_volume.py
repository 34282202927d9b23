"""A running joined volume as a program sees it, made of its plan."""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Array, ArrayDevice, JoinedVolume


def seen_volume(
    plan: Plan,
    built: Plan | None = None,
    *,
    holders: tuple[str, ...] = ("tank-data",),
    volume_bytes: int | None = None,
    pieces: tuple[tuple[int, ...], ...] = (),
    kind: str = "linear",
) -> Volume:
    """Return the running volume of ``plan``, of the same arrays as those ``built``, as it is seen."""
    capacity = capacity_of((built or plan).top)
    volume = JoinedVolume("tank", "/dev/dm-0", volume_bytes or capacity.array_bytes)
    bands = []
    for place, (band, inner) in enumerate(zip(plan.top.inner, capacity.inner, strict=True)):
        facts = ArrayFacts(
            holders=holders,
            pieces=pieces[place] if pieces else (),
            volume_kind=kind,
            component_size_kib=inner.component_size_kib or 0,
            size_bytes=inner.array_bytes,
        )
        bands.append(_band(place, Plan(band), volume, facts))
    (tank,) = with_volumes(bands)
    assert isinstance(tank, Volume)
    return tank


def _band(place: int, band: Plan, volume: JoinedVolume, facts: ArrayFacts) -> Array:
    places = tuple(
        ArrayDevice(slot, f"/dev/sd{slot}{place}", ("in_sync",), member)
        for slot, member in enumerate(band.array.members)
        if isinstance(member, Member)
    )
    known = replace(
        facts,
        level=str(band.array.level),
        layout=band.array.effective_layout or "",
        metadata="1.2",
        bitmap="internal",
        slots=len(band.array.members),
    )
    return Array(
        f"{place:08x}:0:0:0",
        f"tank-{place}",
        str(band.array.level),
        f"/dev/md{place}",
        facts.size_bytes,
        band.array.effective_chunk_kib,
        running=True,
        degraded=0,
        slots=len(band.array.members),
        places=places,
        members=tuple(place.member for place in places if place.member),
        facts=known,
        volume=volume,
        homehost="nas",
    )
