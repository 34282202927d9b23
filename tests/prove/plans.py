"""Random plans over the whole scope, from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from raidwright.core.md.layouts import RAID0_LAYOUTS, RAID5_LAYOUTS, RAID6_LAYOUTS, Level, default_layout
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata, Plan

_SMALLEST_SECTORS = 64 * 2048
_LARGEST_SECTORS = 20 * 10**12 // 512
_LEVELS = (*Level, Level.RAID5, Level.RAID6, Level.RAID10, Level.RAID10)
_RAID10 = ("n2", "n3", "n4", "f2", "f3", "f4", "o2", "o3", "o4")
_CHUNKS_KIB = (None, *(4 << power for power in range(11)))


def random_plans(seed: int, count: int) -> Iterator[Plan]:
    """``count`` plans; the same ones for the same seed. Some are such as mdadm refuses."""
    rng = random.Random(seed)  # noqa: S311 - repeatable is the point
    for number in range(count):
        plan = _nested(rng) if rng.random() < 0.12 else _flat(rng, _sizes(rng, rng.randint(1, 10)))
        yield plan.on(replace(plan.array, name=f"p{number}"))


def large_plans() -> Iterator[Plan]:
    """Every level with each metadata on members around and over 2 and 4 TiB, where 0.90 has its limits."""
    two, four, sold = 2**32, 2**33, 8001563222016 // 512
    sizes = (two - 128, two + 128, four, four + 128, four + 256, sold)
    rows = [(size,) * 4 for size in sizes] + [(two, sold, four + 128, sold), (sold, two, sold, two)]
    levels = [(level, default_layout(level)) for level in Level] + [(Level.RAID10, "f2"), (Level.RAID10, "o3")]
    for number, (metadata, (level, layout), row) in enumerate(product(Metadata, levels, rows)):
        yield Plan(
            MdArray(
                level=level,
                members=members_of(list(row)),
                layout=layout,
                metadata=metadata,
                assume_clean=level.is_redundant,
                name=f"l{number}",
            )
        )


def members_of(sizes: list[int], first: int = 0) -> tuple[Member, ...]:
    """Members LOOP<first> … of the given sectors."""
    return tuple(Member(id=f"LOOP{first + n}", size_bytes=size * 512) for n, size in enumerate(sizes))


def _sizes(rng: random.Random, count: int) -> list[int]:
    base = int(_SMALLEST_SECTORS * (_LARGEST_SECTORS / _SMALLEST_SECTORS) ** rng.random())
    shape = rng.random()
    if shape < 0.5:
        sizes = [base] * count
    elif shape < 0.8:
        sizes = [int(base * rng.uniform(0.992, 1)) for _ in range(count)]
    else:
        sizes = [int(base * rng.uniform(0.3, 1)) for _ in range(count)]
    align = rng.choice((1, 8, 128, 2048))
    return [max(size - size % align, _SMALLEST_SECTORS) for size in sizes]


def _flat(rng: random.Random, sizes: list[int]) -> Plan:
    level = rng.choice(_LEVELS)
    spares = rng.choice((0, 0, 0, 0, 1, 2)) if len(sizes) > 3 else 0
    members = members_of(sizes)
    plan = Plan(
        MdArray(
            level=level,
            members=members[: len(members) - spares],
            spares=members[len(members) - spares :],
            layout=_layout(rng, level),
            chunk_kib=None if level is Level.RAID1 and rng.random() < 0.9 else rng.choice(_CHUNKS_KIB),
            metadata=rng.choice((*Metadata, Metadata.V1_2, Metadata.V1_2)),
            bitmap=rng.choice(tuple(Bitmap)),
            assume_clean=rng.random() < 0.5,
        )
    )
    for vary in rng.sample(_VARIATIONS, k=rng.choice((0, 0, 1, 1, 2))):
        plan = vary(rng, plan)
    return plan


def _layout(rng: random.Random, level: Level) -> str | None:
    names: dict[Level, tuple[str, ...]] = {
        Level.RAID0: (*RAID0_LAYOUTS,),
        Level.RAID5: (*RAID5_LAYOUTS,),
        Level.RAID6: (*RAID6_LAYOUTS,),
        Level.RAID10: _RAID10,
    }
    return rng.choice(names[level]) if level in names and rng.random() < 0.8 else None


def _missing(rng: random.Random, plan: Plan) -> Plan:
    slots = list(plan.array.members)
    slots[rng.randrange(len(slots))] = None
    used = [member for member in slots if member is not None]
    return plan.on(replace(plan.array, members=tuple(slots))) if used else plan


def _component(rng: random.Random, plan: Plan) -> Plan:
    smallest = min(disk.sectors for disk in plan.disks())
    return plan.on(replace(plan.array, component_size_kib=max(1, int(smallest / 2 * rng.uniform(0.001, 1.05)))))


def _data_offset(rng: random.Random, plan: Plan) -> Plan:
    return plan.on(replace(plan.array, data_offset_kib=rng.choice((4, 64, 1024, 1500, 4096, 20 * 1024, 256 * 1024))))


def _ppl(_: random.Random, plan: Plan) -> Plan:
    return plan.on(replace(plan.array, consistency=Consistency.PPL, bitmap=Bitmap.NONE))


def _journal(rng: random.Random, plan: Plan) -> Plan:
    number = sum(1 for _ in plan.disks())
    if any(member is None for member in plan.array.members):
        return plan  # numbering by count would collide
    # Some with hardly more than the data offset.
    sectors = rng.choice(
        (64 * 2048, 256 * 2048, 1000 * 2048, 2 * (plan.array.data_offset_kib or 1024) + rng.randrange(16))
    )
    journal = members_of([sectors], first=number)[0]
    return plan.on(replace(plan.array, journal=journal, bitmap=Bitmap.NONE))


def _bitmap_chunk(rng: random.Random, plan: Plan) -> Plan:
    return plan.on(replace(plan.array, bitmap=Bitmap.INTERNAL, bitmap_chunk_kib=4 << rng.randrange(18)))


_VARIATIONS: tuple[Callable[[random.Random, Plan], Plan], ...] = (
    *(_missing, _component, _data_offset),
    *(_ppl, _journal, _bitmap_chunk),
)


def _nested(rng: random.Random) -> Plan:
    outer, inner = rng.choice(
        ((Level.RAID0, Level.RAID1), (Level.RAID0, Level.RAID5), (Level.RAID0, Level.RAID6), (Level.RAID1, Level.RAID0))
    )
    width = {Level.RAID1: 2, Level.RAID0: 2, Level.RAID5: 3, Level.RAID6: 4}[inner]
    groups = rng.randint(2, 3)
    sizes = _sizes(rng, groups * width)
    chunk = rng.choice(_CHUNKS_KIB)
    arrays = tuple(
        MdArray(
            level=inner,
            members=members_of(sizes[group * width : (group + 1) * width], first=group * width),
            chunk_kib=None if inner is Level.RAID1 else chunk,
            assume_clean=inner is not Level.RAID0,
        )
        for group in range(groups)
    )
    return Plan(
        MdArray(level=outer, members=arrays, chunk_kib=None if outer is Level.RAID1 else rng.choice(_CHUNKS_KIB))
    )
