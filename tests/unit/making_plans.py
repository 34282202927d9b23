"""Plans for tests: short to write, and drawn at random for Hypothesis."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from raidwright.core.md.layouts import RAID0_LAYOUTS, RAID5_LAYOUTS, RAID6_LAYOUTS, Level, parse_copies
from raidwright.core.model.plan import FLAGS, MdArray, Member, Metadata

GIB_SECTORS = 2**21


def member(name: str, sectors: int = 8 * GIB_SECTORS) -> Member:
    return Member(id=name, size_bytes=sectors * 512)


def plan(level: str, *sectors: int, layout: str | None = None, chunk_kib: int | None = None) -> MdArray:
    members = tuple(member(f"disk-{slot}", size) for slot, size in enumerate(sectors))
    return MdArray(Level(level), members, layout=layout, chunk_kib=chunk_kib)


def equal(level: str, count: int, layout: str | None = None, sectors: int = 8 * GIB_SECTORS) -> MdArray:
    return plan(level, *(sectors,) * count, layout=layout)


def grouped(outer: str, inner: str, groups: int, width: int) -> MdArray:
    arrays = tuple(
        MdArray(Level(inner), tuple(member(f"disk-{group}-{slot}") for slot in range(width))) for group in range(groups)
    )
    return MdArray(Level(outer), arrays)


def slice_of(disk: str, partition: int, sectors: int = 8 * GIB_SECTORS) -> Member:
    return Member(id=f"{disk}-part{partition}", size_bytes=sectors * 512, disk=disk, partition=partition)


LAYOUTS: dict[Level, tuple[str | None, ...]] = {
    Level.LINEAR: (None,),
    Level.RAID0: ("original", "alternate"),
    Level.RAID1: (None,),
    Level.RAID4: (None,),
    Level.RAID5: tuple(RAID5_LAYOUTS),
    Level.RAID6: tuple(RAID6_LAYOUTS),
    Level.RAID10: ("n2", "f2", "o2", "n3", "f3", "o3", "n4", "f4"),
}
assert set(RAID0_LAYOUTS) > {"original", "alternate"}


@st.composite
def flat_plans(draw: DrawFn, most_members: int = 9, largest_sectors: int = 2**24) -> MdArray:
    """Draw plans of one array that mdadm accepts: every level and layout, equal members or not, every metadata."""
    level = draw(st.sampled_from(list(Level)))
    layout = draw(st.sampled_from(LAYOUTS[level]))
    least = {Level.RAID6: 4, Level.RAID5: 2, Level.RAID4: 2}.get(level, 1)
    if level is Level.RAID10 and layout is not None:
        least = max(2, parse_copies(layout).total)
    count = draw(st.integers(least, max(least, most_members)))
    sizes = st.integers(2**17, largest_sectors)
    sectors = draw(st.one_of(sizes.map(lambda size: [size] * count), st.lists(sizes, min_size=count, max_size=count)))
    made = plan(str(level), *sectors, layout=layout)
    if level not in (Level.RAID1, Level.LINEAR):
        made = replace(made, chunk_kib=2 ** draw(st.integers(2, 12)))
    old_raid0 = level is Level.RAID0
    return replace(made, metadata=draw(st.sampled_from(list(Metadata)[old_raid0:])))


@st.composite
def marked_plans(draw: DrawFn) -> MdArray:
    """Draw plans with flags on their members, in an order that mdadm supports, and a homehost or none."""
    made = draw(flat_plans())
    firsts = [draw(st.integers(0, len(made.members))) for _ in FLAGS]
    members = tuple(
        one.flagged([flag for flag, first in zip(FLAGS, firsts, strict=True) if slot >= first])
        for slot, one in enumerate(made.members)
        if isinstance(one, Member)
    )
    return replace(made, members=members, homehost=draw(st.sampled_from(["", "any", "nas", "box.lan"])))
