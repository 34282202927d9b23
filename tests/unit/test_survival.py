"""Survival against enumeration, published counts and closed forms."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from raidwright.analysis.layers.survival import lost_fraction, survival_of
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level, copy_windows
from raidwright.core.model.plan import MdArray, Member
from raidwright.text.plan.survival import survival_sentence

from .making_plans import equal, grouped, member, slice_of

# fatal sets of two and of three; raid10 as the kernel's _enough counts them
FATAL = [
    (equal("raid10", 4, "n2"), 2, 4),
    (equal("raid10", 4, "f2"), 4, 4),
    (equal("raid10", 4, "o2"), 4, 4),
    (equal("raid10", 5, "n2"), 5, 10),
    (equal("raid10", 6, "n2"), 3, 12),
    (equal("raid10", 6, "f2"), 6, 18),
    (equal("raid10", 6, "n3"), 0, 2),
    (equal("raid10", 6, "f3"), 0, 6),
    (equal("raid10", 12, "o2"), 12, 108),
    (equal("raid5", 5), 10, 10),
    (equal("raid6", 8), 0, 56),
    (equal("raid1", 3), 0, 1),
    (grouped("raid0", "raid1", 4, 2), 4, 24),
    (grouped("raid1", "raid0", 2, 4), 16, 48),
    (grouped("raid0", "raid5", 3, 3), 9, 57),
    (grouped("raid0", "raid6", 3, 4), 0, 12),
]


@pytest.mark.parametrize(("made", "pairs", "triples"), FATAL)
def test_fatal_sets_of_two_and_three(made: MdArray, pairs: int, triples: int) -> None:
    survival = survival_of(made)
    disks = len(survival.units)
    assert survival.counts(2) == (comb(disks, 2) - pairs, comb(disks, 2))
    assert survival.counts(3) == (comb(disks, 3) - triples, comb(disks, 3))
    assert len(survival.fatal_pairs()) == pairs


@pytest.mark.parametrize("disks", [16, 32, 64])
def test_closed_forms_for_many_disks(disks: int) -> None:
    near, far = survival_of(equal("raid10", disks, "n2")), survival_of(equal("raid10", disks, "f2"))
    for k in range(disks // 2 + 1):
        assert near.counts(k)[0] == comb(disks // 2, k) * 2**k
        assert far.counts(k)[0] * (disks - k) == disks * comb(disks - k, k)
    assert near.counts(disks // 2 + 1)[0] == 0


def _dead(made: MdArray, failed: AbstractSet[str]) -> bool:
    """Apply the definition, array by array, without optimisation."""
    gone = {
        slot
        for slot, entry in enumerate(made.members)
        if entry is None or (_dead(entry, failed) if isinstance(entry, MdArray) else entry.failure_unit in failed)
    }
    if made.level is Level.RAID1:
        return len(gone) == len(made.members)
    if made.level is Level.RAID10:
        return any(window <= gone for window in copy_windows(made.copies, len(made.members)))
    return len(gone) > made.level.parity_disks


@st.composite
def tangled_plans(draw: DrawFn) -> MdArray:
    """Draw nested arrays over slices of at most seven disks, some members missing."""
    used: dict[str, int] = {}

    def leaf() -> Member | None:
        disk = draw(st.sampled_from(["a", "b", "c", "d", "e", "f", "g", None]))
        if disk is None:
            return None
        used[disk] = used.get(disk, 0) + 1
        return slice_of(disk, used[disk])

    def array(depth: int) -> MdArray:
        level = draw(st.sampled_from([Level.RAID0, Level.RAID1, Level.RAID5, Level.RAID6, Level.RAID10]))
        count = draw(st.integers(4 if level is Level.RAID6 else 2, 4))
        layout = draw(st.sampled_from(["n2", "f2", "o2"])) if level is Level.RAID10 else None
        inside = [depth == 0 and draw(st.booleans()) for _ in range(count)]
        return MdArray(level, tuple(array(1) if nested else leaf() for nested in inside), layout=layout)

    return array(0)


@given(tangled_plans())
def test_every_failure_set_is_counted_once(made: MdArray) -> None:
    survival = survival_of(made)
    disks = range(len(survival.units))
    for k in range(len(disks) + 1):
        surviving = [kept for kept in combinations(disks, k) if not _dead(made, {survival.units[i] for i in kept})]
        assert survival.counts(k)[0] == len(surviving)
        assert all(survival.survives(kept) for kept in surviving)


@given(tangled_plans())
def test_survival_never_grows_with_more_failures(made: MdArray) -> None:
    survival = survival_of(made)
    shares = [Fraction(*survival.counts(k)) for k in range(len(survival.units) + 1)]
    assert shares == sorted(shares, reverse=True)


def test_crosswise_mirrors_of_two_disks() -> None:
    mirrors = (
        MdArray(Level.RAID1, (slice_of("a", 1), slice_of("b", 2))),
        MdArray(Level.RAID1, (slice_of("b", 1), slice_of("a", 2))),
    )
    survival = survival_of(MdArray(Level.RAID0, mirrors))
    assert survival.units == ("a", "b")
    assert [survival.counts(k) for k in (1, 2)] == [(2, 2), (0, 1)]


def test_missing_members_have_failed_already() -> None:
    survival = survival_of(MdArray(Level.RAID5, (member("a"), member("b"), None)))
    assert survival.counts(1) == (0, 2)
    assert survival_of(MdArray(Level.RAID5, (member("a"), None, None))).most() == -1


def test_hopelessly_entangled_slices_are_refused_by_name() -> None:
    disks = [f"disk{number:02}" for number in range(48)]
    everywhere = MdArray(Level.RAID1, tuple(slice_of(disk, 1) for disk in disks))  # sets the order of counting
    pairs = [MdArray(Level.RAID1, (slice_of(disks[n], 2), slice_of(disks[n + 24], 2))) for n in range(24)]
    with pytest.raises(InputError) as caught:
        survival_of(MdArray(Level.RAID0, (everywhere, *pairs)))
    assert caught.value.code == "too-entangled"


LOST = [
    (equal("raid0", 4), (0,), Fraction(1, 4)),
    (equal("raid1", 2), (0, 1), Fraction(1)),
    (equal("raid10", 4, "f2"), (0, 1), Fraction(1, 4)),
    (equal("raid10", 4, "n2"), (0, 1), Fraction(1, 2)),
    (equal("raid10", 4, "n2"), (0, 2), Fraction(0)),
    (replace(equal("raid5", 3), layout="parity-last"), (0, 2), Fraction(1, 2)),
    (replace(equal("raid5", 3), layout="parity-last"), (0, 1), Fraction(1)),
    (equal("raid5", 4), (2,), Fraction(0)),
    (grouped("raid0", "raid1", 2, 2), (0, 1), Fraction(1, 2)),
    (grouped("raid1", "raid0", 2, 2), (0, 1), Fraction(0)),
]


@pytest.mark.parametrize(("made", "failed", "lost"), LOST)
def test_what_part_of_the_data_is_lost(made: MdArray, failed: tuple[int, ...], lost: Fraction) -> None:
    assert lost_fraction(made, {survival_of(made).units[unit] for unit in failed}) == lost


def _made_by_mdadm(made: MdArray) -> bool:
    try:
        capacity_of(made)
    except PlanRefused:
        return False
    return True


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(tangled_plans(), st.data())
def test_data_is_lost_exactly_when_the_array_does_not_survive(made: MdArray, data: st.DataObject) -> None:
    survival = survival_of(made)
    failed = data.draw(st.sets(st.sampled_from(range(len(survival.units)))) if survival.units else st.just(set[int]()))
    assume(_made_by_mdadm(made))
    assert (lost_fraction(made, {survival.units[unit] for unit in failed}) == 0) == survival.survives(failed)


SENTENCES = [
    (
        equal("raid10", 4, "n2"),
        "Any one disk may fail; of the 6 ways in which two can fail, 4 lose nothing.",
    ),
    (equal("raid6", 5), "Any two disks may fail; any three at once lose data."),
    (equal("raid1", 2), "Any one disk may fail; both together lose everything."),
    (equal("raid0", 3), "Any disk that fails takes data with it."),
    (MdArray(Level.RAID5, (member("a"), None, None)), "It can't start with these disks missing."),
]


@pytest.mark.parametrize(("made", "sentence"), SENTENCES)
def test_survival_in_a_sentence(made: MdArray, sentence: str) -> None:
    assert survival_sentence(survival_of(made)) == sentence
