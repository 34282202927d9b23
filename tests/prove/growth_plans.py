"""Arrays to try later changes on: small ones of every level and layout, in two sizes each, and edge cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from raidwright.core.md.layouts import RAID5_LAYOUTS, RAID6_LAYOUTS, Level
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Metadata, Plan

from .plans import members_of

_CHUNK_KIB = 32
_OFFSET_SECTORS = 2048  # what mdadm gives members this small
_EVEN_CHUNKS, _ODD_CHUNKS = 48, 45  # a component that larger chunks divide, and one that they don't
_COUNTS: dict[Level, tuple[int, int]] = {
    Level.LINEAR: (2, 3),
    Level.RAID0: (2, 3),
    Level.RAID1: (2, 3),
    Level.RAID4: (3, 4),
    Level.RAID5: (3, 4),
    Level.RAID6: (4, 5),
    Level.RAID10: (4, 5),
}
_LAYOUTS: dict[Level, tuple[str | None, ...]] = {
    Level.LINEAR: (None,),
    Level.RAID0: ("original", "alternate"),
    Level.RAID1: (None,),
    Level.RAID4: (None,),
    Level.RAID5: tuple(RAID5_LAYOUTS),
    Level.RAID6: tuple(RAID6_LAYOUTS),
    Level.RAID10: ("n2", "n3", "n4", "f2", "f3", "o2", "o3", "o4"),
}
_USUAL = (
    (Level.LINEAR, None),
    (Level.RAID0, "original"),
    (Level.RAID1, None),
    (Level.RAID4, None),
    (Level.RAID5, "left-symmetric"),
    (Level.RAID5, "parity-last"),
    (Level.RAID6, "left-symmetric"),
    (Level.RAID6, "left-symmetric-6"),
    (Level.RAID6, "ddf-N-restart"),
    (Level.RAID10, "n2"),
    (Level.RAID10, "o2"),
    (Level.RAID10, "f2"),
)


def growth_plans() -> Iterator[Plan]:
    """Yield all of them, each with a unique name."""
    for number, plan in enumerate((*_regular(), *_metadata(), *_logged(), *_odd())):
        yield plan.on(replace(plan.array, name=f"w{number}"))


def _array(
    level: Level, layout: str | None, count: int, chunks: int = _EVEN_CHUNKS, metadata: Metadata = Metadata.V1_2
) -> Plan:
    """Members whose component is just so many chunks of 32 KiB."""
    component = 2 * _CHUNK_KIB * chunks
    sectors = {
        Metadata.V0_90: -(-component // 128) * 128 + 128,
        Metadata.V1_0: component + 32,
    }.get(metadata, component + _OFFSET_SECTORS)
    return Plan(
        MdArray(
            level=level,
            members=members_of([sectors] * count),
            layout=layout,
            chunk_kib=None if level in (Level.RAID1, Level.LINEAR) else _CHUNK_KIB,
            metadata=metadata,
            assume_clean=level.is_redundant,
        )
    )


def _regular() -> Iterator[Plan]:
    """Yield every level and layout, in two sizes."""
    for level, layouts in _LAYOUTS.items():
        for layout, (count, chunks) in product(layouts, zip(_COUNTS[level], (_EVEN_CHUNKS, _ODD_CHUNKS), strict=True)):
            yield _array(level, layout, count, chunks)


def _metadata() -> Iterator[Plan]:
    """The usual layouts with each metadata, with a bitmap, and without space before the data."""
    for level, layout in _USUAL:
        usual = _array(level, layout, _COUNTS[level][0])
        for metadata in (Metadata.V0_90, Metadata.V1_0, Metadata.V1_1):
            if level is not Level.RAID0 or metadata is not Metadata.V0_90:
                yield _array(level, layout, _COUNTS[level][0], metadata=metadata)
        yield usual.on(replace(usual.array, data_offset_kib=64))
        if level not in (Level.LINEAR, Level.RAID0):
            yield usual.on(replace(usual.array, bitmap=Bitmap.INTERNAL))
            yield _array(level, layout, _COUNTS[level][0], metadata=Metadata.V1_0).on(
                replace(_array(level, layout, _COUNTS[level][0], metadata=Metadata.V1_0).array, bitmap=Bitmap.INTERNAL)
            )


def _logged() -> Iterator[Plan]:
    """A partial parity log, a journal."""
    for layout, count in product(("left-symmetric", "parity-last"), (2, 3)):
        larger = _array(Level.RAID5, layout, count, 2 * _EVEN_CHUNKS)  # the log takes space that some changes need
        yield larger.on(replace(larger.array, consistency=Consistency.PPL))
    arrays = (
        (Level.RAID4, None, 3),
        *((Level.RAID5, layout, count) for layout in ("left-symmetric", "parity-last") for count in (2, 3)),
        *((Level.RAID6, layout, 4) for layout in ("left-symmetric", "left-symmetric-6", "parity-last")),
    )
    for level, name, count in arrays:
        yield _array(level, name, count).on(
            replace(_array(level, name, count).array, journal=members_of([8192], first=count)[0])
        )


def _odd() -> Iterator[Plan]:
    """Yield counts and sizes at the limits."""
    for layout, chunks in product(("left-symmetric", "parity-last"), (_EVEN_CHUNKS, _ODD_CHUNKS)):
        yield _array(Level.RAID5, layout, 2, chunks)
    yield _array(Level.RAID4, None, 2)
    yield _array(Level.RAID5, "left-symmetric", 2, metadata=Metadata.V1_0)
    yield _array(Level.RAID5, "left-symmetric", 4, chunks=8, metadata=Metadata.V1_0)  # too small for a backup
    for count, metadata in product((1, 3), (Metadata.V1_0, Metadata.V1_2)):
        yield _array(Level.RAID0, None, count, metadata=metadata)
    yield _array(Level.RAID0, None, 2).on(replace(_array(Level.RAID0, None, 2).array, chunk_kib=12))
    yield _array(Level.RAID0, None, 3).on(
        replace(_array(Level.RAID0, None, 3).array, members=members_of([5120, 5120, 6144]))
    )
    yield _array(Level.RAID1, None, 2, chunks=50).on(
        replace(_array(Level.RAID1, None, 2, chunks=50).array, component_size_kib=1538)
    )
    yield _array(Level.RAID1, None, 3, chunks=50).on(
        replace(_array(Level.RAID1, None, 3, chunks=50).array, component_size_kib=1540)
    )
    yield _array(Level.RAID1, None, 1)
    for count in (25, 26):  # 0.90 has 27 slots, and md fills 26 of them later
        yield _array(Level.RAID1, None, count, chunks=2, metadata=Metadata.V0_90)
    for layout, count in (("n2", 2), ("o2", 2), ("n2", 6), ("o2", 3), ("n3", 6)):
        yield _array(Level.RAID10, layout, count)
    yield _array(Level.RAID10, "n2", 4).on(
        replace(_array(Level.RAID10, "n2", 4).array, members=members_of([5120, 5120, 6144, 6144]))
    )
    yield _array(Level.RAID10, "n2", 6).on(
        replace(_array(Level.RAID10, "n2", 6).array, members=members_of([5120, 5120, 6144, 6144, 6144, 6144]))
    )
    for layout in ("n2", "o2"):
        yield _array(Level.RAID10, layout, 4, metadata=Metadata.V1_0).on(
            replace(_array(Level.RAID10, layout, 4, metadata=Metadata.V1_0).array, component_size_kib=768)
        )
        yield _array(Level.RAID10, layout, 4, chunks=_ODD_CHUNKS).on(
            replace(
                _array(Level.RAID10, layout, 4, chunks=_ODD_CHUNKS).array,
                data_offset_kib=64,
                component_size_kib=23 * 32,
            )
        )
    yield _nested()


def _nested() -> Plan:
    """Return a stripe over two mirrors."""
    mirrors = tuple(
        replace(_array(Level.RAID1, None, 2, 3 * _EVEN_CHUNKS).array, members=members_of([11264] * 2, first=first))
        for first in (0, 2)
    )
    return _array(Level.RAID0, None, 2).on(replace(_array(Level.RAID0, None, 2).array, members=mirrors))
