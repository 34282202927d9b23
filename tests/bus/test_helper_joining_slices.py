"""The slices of a disk that joins a joined volume: in which arrays, and whether they fit."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.lvm.joined import MIB, begins_of, disk_bytes_for, partitionable_bytes
from raidwright.core.model.plan import Member
from raidwright_helper.acts import joining_slices
from raidwright_helper.acts.joining_slices import cut, fitting, wanted_sets
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host

NEW = Member("wwn-0x5001", 100 * MIB, "WD80EFZX", "ZHZ1")
DEVICE = Pinned(1, "/dev/sdb", -1)
VOLUME: Any = SimpleNamespace(label="“tank”")
BANDS: list[Any] = [SimpleNamespace(array=SimpleNamespace(number=number)) for number in range(3)]


def _lacking(monkeypatch: pytest.MonkeyPatch, counts: Mapping[int, int], leaving: Mapping[int, Any]) -> list[list[int]]:
    monkeypatch.setattr(joining_slices, "_uncovered", lambda _host, number: counts.get(number, 0))
    sets = wanted_sets(Host(), BANDS, leaving)
    return [[band.array.number for band in bands] for bands in sets]


@pytest.mark.parametrize(("counts", "leaving", "sets"), [
    ({0: 1, 1: 1}, (), [[0, 1]]),
    ({0: 2, 1: 2, 2: 1}, (), [[0, 1, 2], [0, 1]]),  # of two lost disks, the larger first
    ({}, (), []),
    ({}, (0, 1), [[0, 1], [0, 1]]),
    ({0: 1, 2: 1}, (0, 1), [[0, 1, 2], [0, 1]]),  # failed in one array and working in another, and a lost disk
])  # fmt: skip
def test_the_arrays_that_lack_a_slice_are_what_the_disk_joins(
    monkeypatch: pytest.MonkeyPatch, counts: dict[int, int], leaving: tuple[int, ...], sets: list[list[int]]
) -> None:
    assert _lacking(monkeypatch, counts, dict.fromkeys(leaving)) == sets


def test_the_largest_lost_disk_that_fits_is_replaced_and_a_smaller_one_is_refused_with_the_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(joining_slices, "slice_bytes", lambda _host, band: (10 + band.array.number) * MIB)
    monkeypatch.setattr(Host, "sector_bytes", lambda *_: 512)
    sets = [BANDS, BANDS[:2]]
    for mib, found in ((40, BANDS), (30, BANDS[:2])):
        monkeypatch.setattr(Host, "size_bytes", lambda *_, mib=mib: mib * MIB)
        assert fitting(Host(), VOLUME, sets, NEW, DEVICE) == found
    least = disk_bytes_for(21 * MIB)
    assert partitionable_bytes(least) == 21 * MIB > partitionable_bytes(least - 512)
    monkeypatch.setattr(Host, "size_bytes", lambda *_: least)
    assert fitting(Host(), VOLUME, sets, NEW, DEVICE) == BANDS[:2]
    monkeypatch.setattr(Host, "size_bytes", lambda *_: least - 512)
    with pytest.raises(DiskRefused) as caught:
        fitting(Host(), VOLUME, sets, NEW, DEVICE)
    assert (caught.value.code, caught.value.fields["least_bytes"]) == ("disk-small", least)


def test_slices_follow_one_another_from_the_first_mib_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining_slices, "slice_bytes", lambda _host, band: (10 + band.array.number) * MIB)
    slices = list(cut(Host(), BANDS[1:], {}, NEW))
    assert [(one.member.id, one.member.size_bytes) for one in slices] == [
        ("wwn-0x5001-part1", 11 * MIB),
        ("wwn-0x5001-part2", 12 * MIB),
    ]
    assert [*begins_of(tuple(one.member for one in slices))] == [MIB, 12 * MIB]
    assert {one.member.disk_size_bytes for one in slices} == {NEW.size_bytes}
