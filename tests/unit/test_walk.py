"""The walk without a window: which choices exist, what each keeps, the picks with their reasons, and the chunk."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.advice.candidates import Prepared, enumerate_plans
from raidwright.analysis.advice.ranking import Wishes, rank
from raidwright.analysis.advice.reasons import Facet, RatioDifference
from raidwright.analysis.advice.walk import (
    ChunkReason,
    Pick,
    PickReason,
    Purpose,
    chunk_advice,
    failure_choices,
    nearest_purpose,
    picks_of,
    purpose_of,
    with_purpose,
)
from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Baseline, MdArray, Plan
from raidwright.reading.pool import imagined_members, parse_pool
from raidwright.text.plan import walk as words
from raidwright.text.plan.names import long_name
from raidwright.ui.stations.plan.chunks import with_chunk

POOLS = ("2x4TB", "3x4TB", "4x8TB", "2x8TB+1x12TB", "2x4TB+2x8TB", "6x10TB", "24x8TB")


@cache
def prepared(pool: str) -> tuple[Prepared, ...]:
    return enumerate_plans(imagined_members(parse_pool(pool)))


def _picks(pool: str, purpose: Purpose, must_survive: int) -> tuple[Pick, ...]:
    wishes = with_purpose(Wishes(must_survive=must_survive), purpose)
    return picks_of(rank(prepared(pool), wishes), wishes)


def test_as_many_may_fail_as_the_disks_allow() -> None:
    found = {pool: [one.failures for one in failure_choices(prepared(pool), Wishes())] for pool in POOLS}
    assert found == {
        "2x4TB": [0, 1],
        "3x4TB": [0, 1, 2],
        "4x8TB": [0, 1, 2, 3],
        "2x8TB+1x12TB": [0, 1, 2],
        "2x4TB+2x8TB": [0, 1, 2, 3],
        "6x10TB": [0, 1, 2, 3],
        "24x8TB": [0, 1, 2, 3],
    }


@pytest.mark.parametrize("pool", POOLS)
def test_more_failures_cost_space_and_make_a_loss_rarer(pool: str) -> None:
    choices = failure_choices(prepared(pool), Wishes())
    for fewer, more in pairwise(choices):
        assert fewer.most_bytes > more.most_bytes
        assert fewer.best.array_loss > more.best.array_loss
    assert sum(one.is_advised for one in choices) == 1
    assert all(one.failures in (one.best.survives, 3) for one in choices)


def test_a_choice_says_what_it_keeps() -> None:
    none, one, two, three = failure_choices(prepared("4x8TB"), Wishes())
    said = [words.keeps_words(each, 32 * 10**12) for each in (none, one, two, three)]
    assert said == [
        "Keeps 32.0 TB of 32.0 TB",
        "Keeps 16.0 TB to 24.0 TB of 32.0 TB",
        "Keeps 16.0 TB of 32.0 TB",
        "Keeps 8.00 TB of 32.0 TB",
    ]
    assert two.is_advised


@pytest.mark.parametrize("purpose", Purpose)
def test_a_purpose_is_known_again_by_its_wishes(purpose: Purpose) -> None:
    wishes = with_purpose(Wishes(must_survive=2, will_grow=True, must_boot=True), purpose)
    assert (wishes.must_survive, wishes.will_grow, wishes.must_boot) == (2, True, True)
    assert purpose_of(wishes) is nearest_purpose(wishes) is purpose
    assert purpose_of(replace(wishes, space=1)) is None
    assert nearest_purpose(replace(wishes, space=1)) is purpose


def test_the_three_picks_for_four_disks() -> None:
    ours, roomier, faster = _picks("4x8TB", Purpose.FILES, 2)
    assert [one.kind for one in (ours, roomier, faster)] == [PickReason.OURS, PickReason.SPACE, PickReason.FASTER]
    assert [long_name(one.prepared.plan.top) for one in (ours, roomier, faster)] == [
        "RAID 6",
        "RAID 5",
        "RAID 10, far, 3 copies",
    ]
    assert [one.is_less for one in (ours, roomier, faster)] == [False, True, False]
    assert words.may_fail(ours.prepared) == "any two disks may fail"
    assert words.pick_reason(ours) == (
        "Because any two disks may fail, not one, but it has 8 TB less space and it reads files at 67% of the speed."
    )
    assert words.pick_reason(roomier).endswith(
        "but only one disk may fail, not two. While a disk of 8.00 TB is rebuilt, nothing protects the array. Fewer "
        "disks may fail than you asked for."
    )


@given(
    pool=st.sampled_from(POOLS),
    purpose=st.sampled_from(Purpose),
    must_survive=st.integers(0, 3),
    will_grow=st.booleans(),
)
def test_picks_are_ranked_plans_and_keep_what_they_promise(
    pool: str, purpose: Purpose, must_survive: int, will_grow: bool
) -> None:
    wishes = with_purpose(Wishes(must_survive=must_survive, will_grow=will_grow), purpose)
    ranking = rank(prepared(pool), wishes)
    picks = picks_of(ranking, wishes)
    meeting = [one.prepared for one in ranking.candidates if not one.unmet]
    assert bool(picks) is bool(meeting)
    assert len(picks) <= 3
    assert len({id(one.prepared) for one in picks}) == len(picks)
    for pick in picks:
        assert pick.is_less is (pick.prepared not in meeting)
        assert words.pick_reason(pick).endswith(".")
        assert not will_grow or pick.prepared.can_grow
    if picks:
        ours = picks[0].prepared
        assert picks[0].kind is PickReason.OURS
        by_kind = {one.kind: one.prepared for one in picks}
        assert by_kind.get(PickReason.SPACE, ours).array_bytes >= ours.array_bytes
        assert by_kind.get(PickReason.SAFER, ours).array_loss <= ours.array_loss


_OF_KINDS = tuple(
    (pool, kind) for pool in ("2x2TB", "4x2TB", "5x4TB", "8x4TB", "24x8TB") for kind in ("hdd", "ssd", "nvme")
)
_UNLIKE = (("2x4TB+8TB+12TB", "hdd"), ("2x4TB+2x8TB", "ssd"), ("3x2TB+2x1TB", "hdd"))


@cache
def of_kind(pool: str, kind: str) -> tuple[Prepared, ...]:
    members = (replace(disk, baseline=Baseline(kind=kind)) for disk in imagined_members(parse_pool(pool)))
    return enumerate_plans(tuple(members), joined=True)


def _answered(
    pool: str, kind: str, purpose: Purpose, failures: int, will_grow: bool = False
) -> dict[PickReason, Prepared]:
    wishes = with_purpose(Wishes(must_survive=failures, will_grow=will_grow), purpose)
    return {one.kind: one.prepared for one in picks_of(rank(of_kind(pool, kind), wishes), wishes)}


@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize(("pool", "kind"), [*_OF_KINDS, *_UNLIKE])
def test_the_answers_rule_the_picks(pool: str, kind: str, purpose: Purpose) -> None:
    for failures, will_grow in product(range(4), (False, True)):
        picks = _answered(pool, kind, purpose, failures, will_grow)
        if not picks:
            continue
        ours, space, faster = picks[PickReason.OURS], picks.get(PickReason.SPACE), picks.get(PickReason.FASTER)
        plain = [one for one in of_kind(pool, kind) if one.survives == failures and not as_array(one.plan.top).spares]
        assert all(one.can_grow for one in picks.values()) or not will_grow
        if failures == 0:
            assert ours.survives == 0
        elif ours.survives > failures and purpose is Purpose.MACHINES:
            fastest = max(one.merits.random for one in plain if not one.telling and (one.can_grow or not will_grow))
            assert ours.array_bytes > 1.05 * min(one.array_bytes for one in plain) or ours.merits.random > 0.9 * fastest
        assert space is None or space.array_bytes > ours.array_bytes
        assert space is None or space.survives >= failures - 1
        assert faster is None or faster.survives >= failures
        arrays = [as_array(one.plan.top) for one in picks.values()]
        shapes = zip(arrays, picks.values(), strict=True)
        assert len({(array.level, array.layout, one.array_bytes) for array, one in shapes}) == len(picks)


@pytest.mark.parametrize(
    ("pool", "kind", "purpose", "failures", "will_grow", "ours"),
    [
        ("4x2TB", "ssd", Purpose.MACHINES, 1, False, "RAID 10, near"),
        ("4x2TB", "ssd", Purpose.FILES, 1, False, "RAID 6"),  # as much space as RAID 10, and read as fast
        ("4x2TB", "nvme", Purpose.MACHINES, 1, True, "RAID 10, near"),
        ("8x4TB", "hdd", Purpose.MACHINES, 1, False, "RAID 10, near"),
        ("8x4TB", "hdd", Purpose.FILES, 1, False, "RAID 6"),  # for its space
        ("4x2TB", "ssd", Purpose.MIXED, 0, False, "RAID 0"),
        ("2x2TB", "ssd", Purpose.FILES, 1, False, "RAID 1"),
        ("8x4TB", "nvme", Purpose.MACHINES, 1, False, "RAID 10, near"),  # not a spare disk that nobody asked for
        ("2x4TB+8TB+12TB", "hdd", Purpose.FILES, 1, True, "Joined arrays"),
    ],
)
def test_our_pick_is_one_that_an_engineer_would_sign(
    pool: str, kind: str, purpose: Purpose, failures: int, will_grow: bool, ours: str
) -> None:
    picked = _answered(pool, kind, purpose, failures, will_grow)[PickReason.OURS].plan
    assert (long_name(picked.top).startswith(ours), as_array(picked.top).spares) == (True, ())


def test_the_reason_tells_of_what_the_purpose_asks_for() -> None:
    wishes = with_purpose(Wishes(must_survive=1), Purpose.MACHINES)
    ours, roomier = picks_of(rank(of_kind("4x2TB", "ssd"), wishes), wishes)
    assert words.lacking_picks((ours, roomier)) == "Nothing else that fits your answers is notably faster."
    assert words.lacking_picks((ours,)) == ""
    assert words.pick_reason(ours).startswith("Because it does small accesses 1.3 times as fast and ")
    assert words.pick_reason(roomier).endswith(
        "but it does small accesses at 79% of the speed. "
        "While a disk of 2.00 TB is rebuilt, nothing protects the array."
    )


@pytest.mark.parametrize("pool", ["4x8TB", "5x8TB", "8x18TB", "2x4TB+2x8TB"])
def test_ratios_of_chances_end_at_a_thousand(pool: str) -> None:
    for failures, purpose in product(range(4), Purpose):
        for pick in _picks(pool, purpose, failures):
            for times in re.findall(r"it is ([\d,]+) times (?:safer|riskier)", words.pick_reason(pick)):
                assert int(times.replace(",", "")) <= 1000
    one = RatioDifference(Facet.LOSS, better=True, factor=2_400.0)
    assert words._difference(one, *prepared("4x8TB")[:2]) == "it is over 1,000 times safer"


@pytest.mark.parametrize("pool", ["8x18TB", "12x18TB", "24x8TB"])
def test_a_pick_that_carries_a_warning_says_it(pool: str) -> None:
    for pick in _picks(pool, Purpose.FILES, 2):
        if pick.against is not None and pick.prepared.telling:
            assert pick.prepared.telling[0].sentence in words.pick_reason(pick)


def test_unlike_disks_are_offered_whole_whatever_they_are_for() -> None:
    for purpose, will_grow in product((Purpose.FILES, Purpose.MIXED), (False, True)):
        picks = _answered("2x4TB+8TB+12TB", "hdd", purpose, 1, will_grow)
        assert any(one.plan.volume for one in picks.values()), (purpose, will_grow)


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("purpose", Purpose)
def test_every_plan_has_a_chunk_that_md_takes_and_a_reason(pool: str, purpose: Purpose) -> None:
    for one in prepared(pool):
        advice = chunk_advice(one.plan, purpose)
        assert words.chunk_reason(advice)
        assert words.layout_words(one.plan.top).endswith(".")
        for chunk_kib in (advice.chunk_kib, *advice.others_kib):
            capacity_of(with_chunk(one.plan, chunk_kib).top)


def test_parity_gets_chunks_that_a_degraded_array_reads_fast() -> None:
    four = imagined_members(parse_pool("4x8TB"))
    raid6 = Plan(MdArray(Level.RAID6, four, layout="left-symmetric"))
    assert chunk_advice(raid6, Purpose.FILES).chunk_kib == 128
    assert chunk_advice(raid6, Purpose.MACHINES).chunk_kib == 64
    assert chunk_advice(Plan(MdArray(Level.RAID10, four, layout="n2")), Purpose.MACHINES).chunk_kib == 512
    assert chunk_advice(Plan(MdArray(Level.RAID1, four)), Purpose.FILES).reason is ChunkReason.NONE
    nested = Plan(MdArray(Level.RAID0, (MdArray(Level.RAID1, four[:2]), MdArray(Level.RAID1, four[2:]))))
    striped = with_chunk(nested, 128)
    assert (striped.array.chunk_kib, [one.chunk_kib for one in striped.array.members if isinstance(one, MdArray)]) == (
        128,
        [None, None],
    )
