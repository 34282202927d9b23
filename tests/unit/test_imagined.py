"""Imagined disks: number and sizes as written, of a kind, and never mistaken for a machine's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.imagined import KINDS, imagined_disks, is_imagined, kind_of, last_imagined, pool_text
from raidwright.core.errors import InputError
from raidwright.core.units import marketing_bytes, parse_decimal
from raidwright.reading.pool import imagined_members, parse_pool


@given(st.integers(1, 12), st.integers(1, 30), st.sampled_from(sorted(KINDS)), st.integers(0, 50))
def test_they_are_what_was_written(count: int, terabytes: int, kind: str, after: int) -> None:
    disks = imagined_disks(f"{count}x{terabytes}TB", kind=kind, model="X", after=after)
    sizes = [one.size_bytes for one in imagined_members(parse_pool(f"{count}x{terabytes}TB"))]
    assert [disk.size_bytes for disk in disks] == sizes
    assert last_imagined(tuple(disk.id for disk in disks)) == after + count
    assert len({disk.id for disk in disks}) == count
    for disk in disks:
        assert is_imagined(disk.id)
        assert disk.is_takeable
        assert (disk.model, disk.as_member().model) == ("X", "X")
        known = disk.as_member().baseline
        assert (known is None) is (kind == "")
        assert known is None or kind.startswith(str(known.kind))


@pytest.mark.parametrize(
    "real", ["wwn-0x5000c500a1b2c3d0", "ata-disk-1", "disk-1-part1", "/dev/sda", "disk-", "disk-x"]
)
def test_no_machines_disk_is_taken_for_one(real: str) -> None:
    assert not is_imagined(real)


def test_what_is_no_pool_is_refused() -> None:
    with pytest.raises(InputError):
        imagined_disks("many")


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(50, 24_000), st.sampled_from(sorted(KINDS))), min_size=1))
def test_their_pool_as_text_has_the_same_disks(groups: list[tuple[int, int, str]]) -> None:
    disks = [disk for count, size, kind in groups for disk in imagined_disks(f"{count}x{size}GB", kind=kind)]
    again = parse_pool(pool_text(disks))
    assert [size for group in again for size in [group.size_bytes] * group.count] == [disk.size_bytes for disk in disks]
    kinds = [kind for group in again for kind in [group.said.removeprefix(":")] * group.count]
    assert kinds == [kind for count, _size, kind in groups for kind in [kind] * count]


@pytest.mark.parametrize(
    ("text", "box", "kinds"),
    [
        ("4x2TB:ssd", "", ["ssd"] * 4),
        ("4x2TB:ssd", "hdd7200", ["ssd"] * 4),
        ("2x2TB:nvme+1x8TB", "hdd5400", ["nvme", "nvme", "hdd5400"]),
        ("1x8TB:hdd@usb3", "", ["hdd7200"]),
    ],
)
def test_a_kind_that_is_typed_counts_as_everywhere(text: str, box: str, kinds: list[str]) -> None:
    disks = imagined_disks(text, kind=box)
    assert [kind_of(disk) for disk in disks] == kinds
    if not box:
        planned = [member.baseline for member in imagined_members(parse_pool(text))]
        assert [disk.as_member().baseline.kind for disk in disks] == [one.kind for one in planned if one]  # type: ignore[union-attr]
        assert [disk.link for disk in disks] == [one.link or "" for one in planned if one]


@pytest.mark.parametrize("text", ["4x2TB:ext4", "4x2TB:ssd:nvme", "4x1,5", "2x1,000GB"])
def test_what_a_pool_to_buy_cannot_say_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        imagined_disks(text)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("4x1,5TB", [(4, 1500)]),
        ("1,8TB", [(1, 1800)]),
        ("4x8 TB, 2x4,5 TB", [(4, 8000), (2, 4500)]),
        ("2x1,92TB:nvme,4x8TB", [(2, 1920), (4, 8000)]),
        ("4x8TB:hdd7200,2x4TB", [(4, 8000), (2, 4000)]),
        ("8TB,2TB", [(1, 8000), (1, 2000)]),
        ("4 x 2tb : SSD", [(4, 2000)]),
        ("4*2TB", [(4, 2000)]),
    ],
)
def test_a_comma_is_the_decimal_sign_where_no_group_ends(text: str, groups: list[tuple[int, int]]) -> None:
    found = [(group.count, group.size_bytes) for group in parse_pool(text)]
    assert found == [(count, marketing_bytes(size * 10**9)) for count, size in groups]


@pytest.mark.parametrize(
    ("text", "number"),
    [("199,5", 199.5), ("199.5", 199.5), ("0,25", 0.25), ("30", 30.0), ("1,995", None), ("1.995,5", None)],
)
def test_a_number_with_a_comma_is_what_is_meant_or_refused(text: str, number: float | None) -> None:
    if number is None:
        with pytest.raises(ValueError, match="could not convert"):
            parse_decimal(text)
    else:
        assert parse_decimal(text) == number
