"""Possible changes, as answered by mdadm 4.2 and 4.4 on kernel 6.1; ``make prove`` tests all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.analysis.layers.possibilities import possibilities
from raidwright.core.md.reshape.possibility import Needs
from raidwright.core.model.plan import Consistency, MdArray, Metadata

from .making_plans import equal, grouped, member, plan

TRIED = [
    (equal("raid10", 4, "n2"), "more-members", True),
    (equal("raid10", 4, "f2"), "more-members", False),
    (equal("raid10", 4, "o2"), "more-members", True),
    (equal("raid10", 4, "n2"), "layout", False),
    (equal("raid10", 4, "o2"), "layout", True),
    (equal("raid10", 6, "n3"), "raid0", False),
    (equal("raid10", 2, "n2"), "raid0", True),
    (equal("raid10", 4, "o2"), "chunk", False),
    (equal("raid10", 4, "f2"), "layout", False),
    (equal("raid10", 4, "n2"), "chunk", True),
    (equal("raid10", 4, "f2"), "chunk", False),
    (equal("raid10", 4, "n2"), "raid0", True),
    (equal("raid10", 5, "n2"), "raid0", False),
    (equal("raid10", 4, "f2"), "raid0", False),
    (equal("raid10", 4, "o2"), "raid0", False),
    (equal("raid10", 4, "n2"), "larger-members", True),
    (equal("raid10", 4, "f2"), "larger-members", False),
    (equal("raid10", 4, "o2"), "larger-members", True),
    (replace(equal("raid10", 4, "n2"), metadata=Metadata.V1_0), "more-members", False),
    (equal("raid1", 2), "more-members", True),
    (equal("raid1", 2), "raid5", True),
    (equal("raid1", 3), "raid5", False),
    (equal("raid1", 2), "raid0", True),
    (equal("raid1", 2), "raid10", False),
    (equal("raid5", 3), "more-members", True),
    (equal("raid5", 3), "raid6", True),
    (equal("raid5", 3), "layout", True),
    (equal("raid5", 3), "chunk", True),
    (equal("raid5", 3), "raid0", True),
    (equal("raid5", 4), "raid10", False),
    (equal("raid5", 3), "raid1", False),
    (equal("raid5", 2), "raid1", True),
    (equal("raid6", 4), "more-members", True),
    (equal("raid6", 5), "raid5", True),
    (equal("raid6", 5), "raid0", False),
    (equal("raid4", 3), "raid5", True),
    (equal("raid0", 2), "more-members", True),
    (equal("raid0", 2), "raid10", True),
    (equal("raid0", 2), "raid5", True),
    (equal("raid0", 2), "chunk", True),
    (plan("raid0", 2**24, 2**23), "more-members", False),
    (plan("raid0", 2**24, 2**24, chunk_kib=12), "raid5", False),
    (equal("raid0", 2), "raid6", False),
    (equal("raid0", 1), "chunk", False),
    (equal("raid4", 3), "raid6", False),
    (equal("raid4", 2), "raid1", False),
    (equal("raid4", 2), "raid0", True),
    (equal("raid5", 2), "raid0", False),
    (equal("raid5", 2, "parity-last"), "raid0", True),
    (equal("raid5", 2), "raid6", False),
    (equal("raid6", 5, "ddf-N-restart"), "raid5", True),
    (replace(equal("raid1", 2), component_size_kib=100002), "raid0", False),
    (replace(equal("raid1", 26), metadata=Metadata.V0_90), "more-members", False),
    (replace(equal("raid1", 25), metadata=Metadata.V0_90), "more-members", True),
    (replace(equal("raid5", 3), chunk_kib=2**15), "more-members", False),
    (plan("raid10", 2**23, 2**23, 2**24, 2**24, 2**24, 2**24), "raid0", False),
    (plan("raid10", 2**23, 2**23, 2**24, 2**24), "raid0", True),
    (equal("linear", 2), "more-members", True),
    (equal("linear", 2), "raid5", False),
    (replace(equal("raid5", 3), consistency=Consistency.PPL), "more-members", False),
    (replace(equal("raid6", 4), journal=member("journal")), "chunk", False),
]


@pytest.mark.parametrize(("made", "change", "possible"), TRIED)
def test_what_grow_allows(made: MdArray, change: str, possible: bool) -> None:
    found = {item.change: item for item in possibilities(made)}
    assert found[change].possible == possible
    assert found[change].reason.endswith(".")


NEEDED = [
    (equal("raid5", 3), "more-members", {Needs.DISKS: 1}),
    (equal("raid0", 3), "raid10", {Needs.DISKS: 3}),
    (equal("linear", 2), "more-members", {Needs.DISKS: 1, Needs.MDADM: "4.4"}),
    (replace(equal("raid5", 3), metadata=Metadata.V1_0), "more-members", {Needs.DISKS: 1}),
    (replace(equal("raid5", 3), metadata=Metadata.V1_0), "layout", {Needs.BACKUP_FILE: None}),
    (equal("raid5", 3), "layout", {}),
    (replace(equal("raid5", 3), metadata=Metadata.V0_90), "raid0", {Needs.BACKUP_FILE: None, Needs.FINISH: "raid0"}),
    (replace(equal("raid0", 2), metadata=Metadata.V1_0), "more-members", {Needs.DISKS: 1, Needs.FINISH: "raid0"}),
    (replace(equal("raid0", 2), metadata=Metadata.V1_0), "raid5", {Needs.DISKS: 1, Needs.LAYOUT: "parity-last"}),
    (equal("raid6", 5, "ddf-N-continue"), "raid5", {Needs.LAYOUT: "left-symmetric"}),
    (equal("raid6", 5, "left-symmetric-6"), "more-members", {Needs.DISKS: 1, Needs.LAYOUT: "preserve"}),
    (equal("raid6", 5, "left-symmetric-6"), "raid5", {}),
    (equal("raid10", 4, "o3"), "layout", {Needs.LAYOUT: "n3", Needs.RESTART: None}),
    (replace(equal("raid5", 3), component_size_kib=3 * 2**20), "chunk", {Needs.CHUNK: 2**14}),
    (replace(equal("raid5", 3), component_size_kib=3 * 2**11), "chunk", {Needs.CHUNK: 2**11}),
    # 2 MiB of room on either side: raid10 knows no backup file, raid5 does
    (
        replace(equal("raid10", 4, "n2"), data_offset_kib=2**11, metadata=Metadata.V1_1, component_size_kib=8384512),
        "chunk",
        {Needs.CHUNK: 2**11},
    ),
    (
        replace(equal("raid5", 3), data_offset_kib=2**11, metadata=Metadata.V1_1, component_size_kib=8384512),
        "chunk",
        {Needs.CHUNK: 2**12, Needs.BACKUP_FILE: 2**11},
    ),
]


@pytest.mark.parametrize(("made", "change", "needed"), NEEDED)
def test_what_a_change_takes(made: MdArray, change: str, needed: dict[Needs, int | str | None]) -> None:
    found = {item.change: item for item in possibilities(made)}[change]
    assert {condition.needs: condition.value for condition in found.conditions} == needed
    assert found.possible
    assert all(condition.sentence.endswith(".") for condition in found.conditions)


@pytest.mark.parametrize(
    ("made", "change"), [(equal("raid10", 4, "n2"), "layout"), (equal("raid10", 4, "o2"), "chunk")]
)
def test_what_mdadm_begins_and_the_kernel_spoils_is_warned_of(made: MdArray, change: str) -> None:
    found = {item.change: item for item in possibilities(made)}[change]
    assert found.loses_data
    assert not found.possible
    assert "data is lost" in found.reason


@pytest.mark.parametrize(("members", "is_warned_of"), [(2, True), (3, False), (4, True)])
def test_a_chunk_that_divides_raid0_but_no_member_is_warned_of(members: int, is_warned_of: bool) -> None:
    """Asked for 2 MiB, mdadm 4.2 turns two members of 19 MiB into a raid4 whose data can't be read."""
    found = {item.change: item for item in possibilities(equal("raid0", members, None, 21 * 2**11))}["chunk"]
    [sizes] = [condition for condition in found.conditions if condition.needs is Needs.CHUNK]
    assert sizes.value == 2**10
    assert ("Never a larger one" in sizes.sentence) is is_warned_of


def test_what_the_kernel_refuses_after_it_has_begun_is_warned_of() -> None:
    """Found by the full tests: a refused layout, and the running array reads other data until it is stopped."""
    made = replace(equal("raid10", 4, "n2"), chunk_kib=32, data_offset_kib=64, component_size_kib=23 * 32)
    found = {item.change: item for item in possibilities(made)}["layout"]
    assert found.loses_data
    assert "until the array is stopped and started" in found.reason


@pytest.mark.parametrize("level", ["linear", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10"])
def test_each_change_is_told_once(level: str) -> None:
    changes = [item.change for item in possibilities(equal(level, 4))]
    assert len(changes) == len(set(changes))


@pytest.mark.parametrize("level", ["linear", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10"])
def test_every_change_is_told_of_every_level(level: str) -> None:
    changes = {item.change for item in possibilities(equal(level, 4))}
    levels = {"raid0", "raid1", "raid4", "raid5", "raid6", "raid10"}
    assert changes == {"more-members", "larger-members", "chunk", "layout"} | levels - {level}


@pytest.mark.parametrize("made", [grouped("raid0", "raid6", 2, 4), grouped("raid0", "raid1", 3, 2)])
def test_arrays_in_arrays_take_more_arrays_and_no_bare_disk(made: MdArray) -> None:
    """A bare disk's failure beside two raid6 would lose both."""
    for change in possibilities(made):
        assert not [need for need in change.conditions if need.needs is Needs.DISKS], change
    growth = next(one for one in possibilities(made) if one.change == "more-members")
    if growth.possible:
        assert growth.conditions[0].needs is Needs.ARRAYS
        assert "bare disk" in growth.reason
