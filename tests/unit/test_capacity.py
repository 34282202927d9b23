"""Capacity against real mdadm's arrays, and invariants of every plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MDADM_4_2, MDADM_4_4, MdadmVersion
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Metadata, Plan
from raidwright.core.model.plan_json import dump_plan, read_plan

from .making_plans import GIB_SECTORS, equal, flat_plans, grouped, member, plan, slice_of

FOUR_TB = 7814037168
# level, layout, members of 4 TB; then component KiB and array sectors that mdadm 4.1 to 4.6 made
MADE_OF_4_TB = [
    ("raid0", None, 4, 0, 31255089152),
    ("linear", None, 3, 0, 23441318928),
    ("raid1", None, 2, 3906886464, 7813772928),
    ("raid5", None, 3, 3906886144, 15627544576),
    ("raid4", None, 4, 3906886144, 23441316864),
    ("raid6", None, 4, 3906886144, 15627544576),
    ("raid6", None, 8, 3906886144, 46882633728),
    ("raid10", "n2", 2, 3906886144, 7813772288),
    ("raid10", "n2", 3, 3906886144, 11720657920),
    ("raid10", "f2", 4, 3906885632, 15627542528),
    ("raid10", "o2", 4, 3906885632, 15627542528),
    ("raid10", "n2", 5, 3906886144, 19534430208),
    ("raid10", "f2", 5, 3906885632, 19534428160),
    ("raid10", "n3", 5, 3906886144, 13022953472),
]


@pytest.mark.parametrize(("level", "layout", "count", "component_kib", "array"), MADE_OF_4_TB)
def test_four_terabyte_members(level: str, layout: str | None, count: int, component_kib: int, array: int) -> None:
    capacity = capacity_of(equal(level, count, layout, FOUR_TB))
    assert (capacity.component_size_kib, capacity.array_sectors) == (component_kib, array)
    assert capacity.data_offset_sectors == (264192,) * count


# (plan, component KiB, array sectors, data offset) as mdadm 4.2 reported them on kernel 6.1
ODD_CREATIONS = [
    (plan("raid1", 204800000, 41943040), 20904960, 41809920, 133120),
    (plan("raid1", 41943040, 204800000), 20954112, 41908224, 34816),
    (plan("raid0", 4000000, 5000000), 0, 8990720, 4096),
    (replace(plan("raid0", 2048000, 2048000, 2048000), component_size_kib=102400), 102400, 6131712, 4096),
    (plan("raid0", 2048000, 2048000, 2048000, chunk_kib=100), 0, 6137208, 2048),
    (plan("raid0", 2048000, 2048000, 2048000, chunk_kib=5), 0, 6137826, 2048),
    (plan("linear", 2048000, 2048000, 2048000, chunk_kib=64), 0, 6137856, 2048),
    (replace(plan("raid1", 2048000, 2048000), component_size_kib=100001), 100001, 200002, 2048),
    (replace(plan("raid5", 2048000, 2048000, 2048000), component_size_kib=100000), 99840, 399360, 4096),
    (plan("raid5", 8192, 8192, 8192), 2048, 8192, 4096),
    (plan("raid5", 3100, 3100, 3100, chunk_kib=4), 524, 2096, 2048),
    (replace(plan("raid1", 31251759104, 31251759104), metadata=Metadata.V1_0), 15625879360, 31251758720, 0),
    (
        replace(
            plan("raid5", *(536870904,) * 3), metadata=Metadata.V1_0, consistency=Consistency.PPL
        ),
        268433920,
        1073735680,
        0,
    ),
    (replace(plan("raid5", *(976773168,) * 3), consistency=Consistency.PPL), 488253440, 1953013760, 266240),
]  # fmt: skip


@pytest.mark.parametrize(("made", "component_kib", "array", "offset"), ODD_CREATIONS)
def test_odd_creations(made: MdArray, component_kib: int, array: int, offset: int) -> None:
    capacity = capacity_of(made, MDADM_4_2)
    assert (capacity.component_size_kib, capacity.array_sectors) == (component_kib, array)
    assert set(capacity.data_offset_sectors) == {offset}


def test_a_small_spare_shrinks_the_array() -> None:
    made = replace(plan("raid5", *(20480000,) * 3), spares=(member("spare", 20000000),))
    capacity = capacity_of(made)
    assert capacity.component_size_kib == 9990656
    assert capacity.data_offset_sectors == (18432,) * 4


def test_the_journal_does_not_count() -> None:
    made = replace(plan("raid5", *(20480000,) * 3), journal=member("journal", 2048000))
    assert capacity_of(made).component_size_kib == 10230784


@pytest.mark.parametrize("sectors", [8, 9, 10])
def test_a_journal_needs_room_behind_the_data_offset(sectors: int) -> None:
    """Tested on mdadm 4.2 and 4.4: with 8 or 9 sectors there the kernel refuses it."""
    offset = 524288
    made = replace(
        plan("raid5", *(20480000,) * 3), data_offset_kib=offset // 2, journal=member("journal", offset + sectors)
    )
    if sectors < 10:
        with pytest.raises(PlanRefused, match="no room for a journal"):
            capacity_of(made)
    else:
        assert capacity_of(made).array_sectors


def test_on_old_metadata_a_journal_becomes_a_spare() -> None:
    made = replace(plan("raid5", *(20480000,) * 3), journal=member("journal", 20480000), metadata=Metadata.V0_90)
    assert capacity_of(made).data_offset_sectors == (0,) * 4


def test_the_first_real_member_gives_the_data_offset() -> None:
    made = MdArray(Level.RAID1, (None, member("disk", 204800000)))
    assert capacity_of(made).data_offset_sectors == (None, 133120)


def test_an_array_of_arrays_lives_on_what_those_offer() -> None:
    capacity = capacity_of(grouped("raid0", "raid5", 2, 3))
    inner = capacity.inner[0].array_sectors
    offset = capacity.data_offset_sectors[0]
    assert offset is not None
    assert capacity.array_sectors == 2 * ((inner - offset) // 1024 * 1024)


REFUSED = [
    ("too-few-members", equal("raid6", 3)),
    ("too-few-members", equal("raid5", 1)),
    ("too-many-members", replace(equal("raid5", 28), metadata=Metadata.V0_90)),
    ("too-many-members", equal("raid6", 257)),
    ("spares", replace(equal("raid0", 2), spares=(member("spare"),))),
    ("missing-member", MdArray(Level.RAID0, (None, member("disk")))),
    ("missing-member", MdArray(Level.RAID5, (None, None, member("disk")))),
    ("missing-member", MdArray(Level.RAID10, (None, None, member("a"), member("b")), layout="n2")),
    ("all-missing", MdArray(Level.RAID1, (None, None))),
    ("chunk", plan("raid1", 2**24, 2**24, chunk_kib=64)),
    ("chunk", plan("raid5", 2**24, 2**24, chunk_kib=12)),
    ("chunk", plan("raid0", 2**24, 2**24, chunk_kib=3)),
    ("raid0-metadata", replace(equal("raid0", 2), metadata=Metadata.V0_90)),
    ("raid0-layout", plan("raid0", 2**24, 2**23, 2**24, layout="dangerous")),
    ("layout-copies", equal("raid10", 2, "n3")),
    ("layout-copies", equal("raid10", 2, "n1")),
    ("bitmap", replace(equal("raid0", 2), bitmap=Bitmap.INTERNAL)),
    ("bitmap", replace(equal("raid5", 3), bitmap=Bitmap.INTERNAL, consistency=Consistency.PPL)),
    ("bitmap", replace(equal("raid5", 3), bitmap=Bitmap.INTERNAL, journal=member("journal"))),
    ("journal", replace(equal("raid10", 2), journal=member("journal"))),
    ("journal", replace(equal("raid5", 3), journal=member("journal"), consistency=Consistency.PPL)),
    ("consistency", replace(equal("raid0", 2), consistency=Consistency.RESYNC)),
    ("consistency", replace(equal("raid5", 3), consistency=Consistency.BITMAP)),
    ("consistency", replace(equal("raid5", 3), consistency=Consistency.JOURNAL)),
    ("ppl", replace(equal("raid6", 4), consistency=Consistency.PPL)),
    ("ppl", replace(equal("raid5", 65), consistency=Consistency.PPL)),
    ("ppl", replace(equal("raid5", 3), consistency=Consistency.PPL, metadata=Metadata.V0_90)),
    ("data-offset", replace(equal("raid5", 3), consistency=Consistency.PPL, data_offset_kib=1024)),
    ("data-offset", replace(equal("raid5", 3), metadata=Metadata.V0_90, data_offset_kib=1024)),
    ("data-offset", replace(equal("raid5", 3), data_offset_kib=4)),
    ("data-on-bitmap", replace(equal("raid1", 2), data_offset_kib=8, bitmap=Bitmap.INTERNAL)),
    ("data-on-superblock", replace(equal("raid1", 2), metadata=Metadata.V1_0, data_offset_kib=1024)),
    (
        "data-on-superblock",
        replace(equal("raid5", 3), metadata=Metadata.V0_90, journal=member("journal", GIB_SECTORS)),
    ),
    ("size", replace(equal("raid5", 3), component_size_kib=300)),
    ("size", replace(equal("raid5", 3), component_size_kib=9 * 2**20)),
    ("disk-too-small", plan("raid5", 4096, 4096, 4096)),
    ("disk-too-small", plan("raid1", 100, 100)),
    ("empty-array", plan("raid1", 2100, 2100)),
    ("metadata-0.90", replace(plan("raid1", 2**34, 2**34), metadata=Metadata.V0_90)),
    ("disk-twice", MdArray(Level.RAID1, (member("disk"), member("disk")))),
    ("disk-twice", MdArray(Level.RAID1, (member("disk"), slice_of("disk", 1)))),
]


@pytest.mark.parametrize(("code", "refused"), REFUSED)
def test_what_mdadm_or_md_refuse_is_refused_by_name(code: str, refused: MdArray) -> None:
    with pytest.raises(PlanRefused) as caught:
        capacity_of(refused)
    assert caught.value.code == code
    assert caught.value.sentence.endswith(".")


def test_newer_mdadm_makes_raid0_on_old_metadata_again() -> None:
    made = replace(plan("raid0", 4000000, 4000000), metadata=Metadata.V0_90)
    assert capacity_of(made, MdadmVersion(4, 5)).array_sectors == 7999488


def test_two_zones_the_last_of_one_member_need_no_layout() -> None:
    assert capacity_of(plan("raid0", 4000000, 5000000, layout="dangerous"), MDADM_4_4).array_sectors == 8990720


def _adds_up(made: MdArray, capacity: Capacity) -> bool:
    members = sum(disk.sectors for disk in made.disks() if disk not in made.spares)
    lost: int = sum(getattr(capacity.lost, name) for name in type(capacity.lost).__slots__)
    return capacity.array_sectors + lost == members


@given(flat_plans())
def test_every_sector_is_either_offered_or_accounted_for(made: MdArray) -> None:
    capacity = capacity_of(made)
    assert 0 < capacity.array_sectors <= sum(disk.sectors for disk in made.disks())
    assert all(getattr(capacity.lost, name) >= 0 for name in type(capacity.lost).__slots__)
    assert _adds_up(made, capacity)


@pytest.mark.parametrize("nested", [grouped("raid0", "raid1", 3, 2), grouped("raid0", "raid6", 2, 4)])
def test_losses_of_inner_arrays_add_up_too(nested: MdArray) -> None:
    assert _adds_up(nested, capacity_of(nested))


@given(flat_plans())
def test_a_member_may_be_replaced_by_the_smallest_that_is_promised(made: MdArray) -> None:
    capacity = capacity_of(made)
    least = capacity.smallest_replacement_sectors
    if least is not None:
        assert least <= min(disk.sectors for disk in made.disks())
        assert least > capacity.component_size_kib * 2


@given(flat_plans())
def test_members_are_used_within_their_bounds(made: MdArray) -> None:
    capacity = capacity_of(made)
    for disk, used, offset in zip(made.disks(), capacity.member_sectors, capacity.data_offset_sectors, strict=True):
        assert offset is not None
        assert 0 <= used <= disk.sectors - offset


@pytest.mark.parametrize(
    ("sectors", "used"), [(2**33 + 127, 2**33 - 128), (2**33 + 128, 2**33 - 2), (15628053168, 2**33 - 2)]
)
def test_linear_with_metadata_0_90_is_cut_at_4_tib(sectors: int, used: int) -> None:
    capacity = capacity_of(replace(plan("linear", sectors, sectors), metadata=Metadata.V0_90))
    assert capacity.member_sectors == (used, used)
    assert capacity.array_sectors == 2 * used
    lost = capacity.lost
    assert lost.larger_members_sectors + lost.metadata_sectors + 2 * used == 2 * sectors


@given(st.integers(2, 20))
def test_a_bitmaps_chunk_is_a_power_of_two_whose_bits_find_room(power: int) -> None:
    """One bit per chunk, in mdadm's reserved space: 128 KiB on such disks (super1.c add_internal_bitmap1)."""
    plain = equal("raid5", 3, None, FOUR_TB)
    swept = replace(plain, bitmap=Bitmap.INTERNAL, bitmap_chunk_kib=1 << power)
    bits = capacity_of(plain).component_size_kib // (1 << power) + 1
    if bits > (128 * 1024 - 256) * 8:
        with pytest.raises(PlanRefused, match="needs more space"):
            capacity_of(swept)
    else:
        assert capacity_of(swept).array_bytes == capacity_of(plain).array_bytes
    assert read_plan(dump_plan(Plan(swept))).top == swept
    with pytest.raises(PlanRefused, match="power of two"):
        capacity_of(replace(swept, bitmap_chunk_kib=3 << power))
    (unsaid,) = create_commands(replace(swept, bitmap=Bitmap.NONE))
    assert "--bitmap-chunk" not in unsaid.shell()
