"""Ways of changing an array: their steps, their refusals, and that they can be resumed anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.changes.commands import step_commands
from raidwright.core.md.changes.policy import policy_of
from raidwright.core.md.changes.refusals import cut_off_refusal
from raidwright.core.md.changes.transitions import shaped
from raidwright.core.md.changes.values import (
    ArrayContent,
    ArrayStanding,
    ChangeKind,
    ChangeWay,
    ChangeWish,
    FormerMember,
    former_of_line,
)
from raidwright.core.md.changes.ways import goal_of, way_of_shape, way_to
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MDADM_4_2, MDADM_4_4
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.text.array.changes import step_title

TB = 10**12


def _disk(number: int, size_bytes: int = 8 * TB) -> Member:
    return Member(f"wwn-0x5000c5000000{number:04x}", size_bytes, "WDC WD80EFZX", f"Z{number}")


def _plan(level: Level, count: int, **more: object) -> MdArray:
    return replace(MdArray(level, tuple(map(_disk, range(count))), "tank"), **more)  # type: ignore[arg-type]


NEW = tuple(_disk(number) for number in range(100, 103))


def _kinds(way: ChangeWay) -> list[str]:
    return [str(step.kind) for step in way.steps]


def _commands(way: ChangeWay) -> list[str]:
    return [" ".join(argv) for step in way.steps for argv in step_commands(step, "/dev/md/tank")]


def test_a_disk_is_added_and_the_file_system_grown_without_a_backup_file() -> None:
    content = ArrayContent("ext4", "/srv/tank")
    way = way_of_shape(_plan(Level.RAID5, 3), ChangeWish(add=NEW[:1]), ArrayStanding(content=content))
    assert way.possible
    assert _kinds(way) == ["add", "reshape", "grow-content"]
    assert _commands(way) == [
        f"mdadm --manage /dev/md/tank --add /dev/disk/by-id/{NEW[0].id}",
        "mdadm --grow /dev/md/tank --raid-devices=4",
        "resize2fs /dev/md/tank",
    ]
    assert (way.survives, way.takes_backup) == (1, False)
    assert capacity_of(way.after).array_sectors == 3 * capacity_of(way.before).array_sectors // 2


def test_a_raid0_made_with_a_size_isnt_handed_to_mdadm() -> None:
    """RAID 0 uses all of its disks, and mdadm takes the size in the superblock for theirs."""
    wish, sized = ChangeWish(add=NEW[:1], level=Level.RAID5), _plan(Level.RAID0, 2, component_size_kib=65536)
    assert "as --size once said" in str(way_of_shape(sized, wish).refusals[0])
    as_named = ArrayStanding(size_sectors=4 * 65536)  # as a raid5 leaves it that became a raid0
    assert not any("as --size" in str(why) for why in way_of_shape(sized, wish, as_named).refusals)
    assert way_of_shape(_plan(Level.RAID0, 2), wish).possible


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (ArrayContent("crypto_LUKS", "", None), "cryptsetup resize"),
        (ArrayContent("gpt", "", None), "(gpt) keeps its size"),
        (ArrayContent(UNKNOWN, "", None), "isn't recognised"),
        (ArrayContent("ext4", "", 8), "Mount it"),
        (ArrayContent("LVM2_member", "", 8), "lvextend --resizefs"),
    ],
)
def test_what_a_growth_leaves_as_it_is_is_said(content: ArrayContent, said: str) -> None:
    standing = ArrayStanding(content=content)
    assert said in str(way_of_shape(_plan(Level.RAID5, 3), ChangeWish(add=NEW[:1]), standing).left_out[0])
    as_large = _plan(Level.RAID5, 3, chunk_kib=512)
    kept = ArrayStanding(content=replace(content, sectors=content.sectors and capacity_of(as_large).array_sectors))
    assert not way_of_shape(as_large, ChangeWish(chunk_kib=256), kept).left_out


def test_what_fills_it_or_is_mounted_or_blank_needs_no_word() -> None:
    for content in (ArrayContent("ext4", "/srv", 8), ArrayContent("", "")):
        way = way_of_shape(_plan(Level.RAID5, 3), ChangeWish(add=NEW[:1]), ArrayStanding(content=content))
        assert way.left_out == ()


def test_bytes_that_nobody_recognises_are_cut_off_no_more_than_a_file_system() -> None:
    standing = ArrayStanding(content=ArrayContent(UNKNOWN, "", None))
    way = way_of_shape(_plan(Level.RAID5, 4), ChangeWish(slots=3), standing)
    assert "isn't known, so nothing may be cut off" in str(way.refusals[0])


@pytest.mark.parametrize(
    ("plan", "wish"),
    [
        (_plan(Level.RAID0, 2), ChangeWish(add=NEW[:1])),
        (_plan(Level.RAID0, 2), ChangeWish(chunk_kib=64)),
        (_plan(Level.RAID5, 3, layout="parity-last"), ChangeWish(level=Level.RAID0)),
        (_plan(Level.RAID10, 4), ChangeWish(level=Level.RAID0)),
        (_plan(Level.RAID1, 2), ChangeWish(level=Level.RAID0)),
    ],
)
def test_no_change_ends_in_a_raid0_whose_size_no_plan_says(plan: MdArray, wish: ChangeWish) -> None:
    """Tried with Linux 6.1: of 3 disks it has 1,744,896 sectors, of which one built anew has 1,754,112."""
    way = way_of_shape(plan, wish)
    assert "Build it anew" in str(way.refusals)
    assert way_of_shape(_plan(Level.RAID0, 2), ChangeWish(level=Level.RAID0)).refusals == ()


def test_no_step_may_leave_less_than_what_is_on_it_uses() -> None:
    way = way_of_shape(_plan(Level.RAID5, 4), ChangeWish(slots=3), ArrayStanding(content=ArrayContent("", "")))
    left = capacity_of(way.after).array_sectors
    for sectors, is_refused in ((left, False), (left + 8, True)):
        standing = ArrayStanding(content=ArrayContent("ext4", "", sectors))
        assert (cut_off_refusal(way.steps, standing) is not None) is is_refused
    grown = way_of_shape(_plan(Level.RAID5, 3), ChangeWish(add=NEW[:1]))
    assert cut_off_refusal(grown.steps, ArrayStanding()) is None


def test_a_mirror_becomes_raid5_and_then_raid6() -> None:
    way = way_of_shape(_plan(Level.RAID1, 2), ChangeWish(add=NEW[:2], level=Level.RAID6))
    assert _commands(way)[1:] == [
        "mdadm --grow /dev/md/tank --level=raid5",
        "mdadm --grow /dev/md/tank --raid-devices=3",
        "mdadm --grow /dev/md/tank --level=raid6 --raid-devices=4",
    ]
    assert (way.after.chunk_kib, way.after.layout, way.survives) == (64, "left-symmetric", 1)
    assert way.steps[1].way_back == "raid1 can be had back by another change of the level."
    assert any(rule.change == "raid1" for rule in way.steps[2].forecloses)


def test_two_more_disks_make_raid6_first_and_grow_it_then() -> None:
    way = way_of_shape(_plan(Level.RAID5, 3), ChangeWish(add=NEW[:2], level=Level.RAID6))
    assert [len(step.after.members) for step in way.steps] == [3, 4, 5]
    assert [step.survives for step in way.steps] == [1, 1, 2]


def test_the_partial_parity_log_is_dropped_for_a_reshape_and_put_back() -> None:
    plan = _plan(Level.RAID5, 3, consistency=Consistency.PPL)
    way = way_of_shape(plan, ChangeWish(chunk_kib=64))
    assert _kinds(way) == ["drop-log", "reshape", "put-log-back"]
    assert way.after.consistency is Consistency.PPL


def test_a_bitmap_stays() -> None:
    way = way_of_shape(_plan(Level.RAID5, 3, bitmap=Bitmap.INTERNAL), ChangeWish(add=NEW[:1]))
    assert (_kinds(way), way.after.bitmap) == (["add", "reshape"], Bitmap.INTERNAL)


@pytest.mark.parametrize("now", [Consistency.RESYNC, Consistency.BITMAP, Consistency.PPL])
@pytest.mark.parametrize("wanted", [Consistency.RESYNC, Consistency.BITMAP, Consistency.PPL])
def test_each_policy_is_switched_to_each_other(now: Consistency, wanted: Consistency) -> None:
    bitmap = Bitmap.INTERNAL if now is Consistency.BITMAP else Bitmap.NONE
    plan = _plan(Level.RAID5, 3, bitmap=bitmap, consistency=Consistency.PPL if now is Consistency.PPL else None)
    way = way_of_shape(plan, ChangeWish(consistency=wanted))
    assert way.possible
    assert policy_of(way.after) is wanted
    assert (now is wanted) == (way.steps == ())
    for step in way.steps:  # whoever continues after any of them gets there as well
        assert policy_of(way_of_shape(step.after, goal_of(way)).after) is wanted


def test_a_policy_comes_after_the_reshape_and_outlives_a_crash_within_it() -> None:
    plan = _plan(Level.RAID5, 3, bitmap=Bitmap.INTERNAL)
    way = way_of_shape(plan, ChangeWish(add=NEW[:1], consistency=Consistency.PPL))
    assert _kinds(way) == ["add", "reshape", "drop-bitmap", "put-log-back"]
    assert _kinds(way_of_shape(way.steps[1].after, goal_of(way))) == ["drop-bitmap", "put-log-back"]


@pytest.mark.parametrize(
    ("plan", "wanted", "why"),
    [
        (_plan(Level.RAID6, 4), Consistency.PPL, "A partial parity log is for raid5 alone"),
        (_plan(Level.RAID0, 2), Consistency.BITMAP, "raid0 has neither copies nor parity"),
        (_plan(Level.RAID5, 3), Consistency.JOURNAL, "A write journal is chosen when an array is built"),
        (_plan(Level.RAID5, 3, journal=_disk(9)), Consistency.RESYNC, "A write journal is chosen when an array"),
        (
            _plan(Level.RAID5, 3, metadata=Metadata.V0_90, component_size_kib=2**20),
            Consistency.PPL,
            "Metadata 0.90 has no room",
        ),
    ],
)
def test_a_policy_that_can_not_be_has_its_reason(plan: MdArray, wanted: Consistency, why: str) -> None:
    way = way_of_shape(plan, ChangeWish(consistency=wanted))
    assert not way.possible
    assert why in str(way.refusals[0])


@pytest.mark.parametrize(
    ("plan", "wish", "why"),
    [
        (
            _plan(Level.RAID5, 3, consistency=Consistency.PPL),
            ChangeWish(add=NEW[:1], level=Level.RAID6, consistency=Consistency.PPL),
            "A partial parity log is for raid5 alone",
        ),
    ],
)
def test_a_policy_that_the_new_level_can_not_have_is_refused_beforehand(
    plan: MdArray, wish: ChangeWish, why: str
) -> None:
    """Also where the array has that policy now: else the reshape would be done, and only its last step fail."""
    assert way_of_shape(plan, replace(wish, consistency=None)).possible
    way = way_of_shape(plan, wish)
    assert not way.possible
    assert why in str(way.refusals)


def test_a_log_outlives_the_reshape_of_small_members() -> None:
    plan = _plan(Level.RAID5, 3, consistency=Consistency.PPL, component_size_kib=2**16)
    assert way_of_shape(plan, ChangeWish(chunk_kib=64, consistency=Consistency.PPL)).possible


def test_raid0_takes_disks_with_the_change_itself() -> None:
    way = way_of_shape(_plan(Level.RAID0, 2), ChangeWish(add=NEW[:1], level=Level.RAID5))
    assert _commands(way) == [
        f"mdadm --grow /dev/md/tank --level=raid5 --raid-devices=3 --add /dev/disk/by-id/{NEW[0].id}"
    ]


def test_no_way_leads_through_raid0_unasked() -> None:
    way = way_of_shape(_plan(Level.RAID1, 2), ChangeWish(add=NEW[:2], level=Level.RAID10))
    assert way.refusals == ("md has no way from raid1 to raid10.",)


@pytest.mark.parametrize(
    ("plan", "wish", "reason"),
    [
        (_plan(Level.RAID10, 4, layout="f2"), ChangeWish(add=NEW[:1]), "md can't reshape a far layout."),
        (_plan(Level.RAID5, 3), ChangeWish(level=Level.RAID6), "Takes 1 more disk."),
        (_plan(Level.RAID6, 4), ChangeWish(level=Level.RAID1), "md has no way there from raid6."),
        (_plan(Level.RAID1, 2), ChangeWish(chunk_kib=64), "raid1 has neither chunks nor a layout."),
    ],
)
def test_ways_that_do_not_exist_have_their_reason(plan: MdArray, wish: ChangeWish, reason: str) -> None:
    way = way_of_shape(plan, wish)
    assert not way.possible
    assert way.refusals == (reason,)


@pytest.mark.parametrize(
    ("standing", "begins"),
    [
        (ArrayStanding(missing=1), "A member is missing. Replace it first"),
        (ArrayStanding(reshapes=True), "md is changing its shape already"),
        (ArrayStanding(busy="resync"), "md is busy with it (resync)"),
    ],
)
def test_an_array_that_is_not_at_rest_is_left_alone(standing: ArrayStanding, begins: str) -> None:
    way = way_of_shape(_plan(Level.RAID5, 3), ChangeWish(add=NEW[:1]), standing)
    assert [reason.startswith(begins) for reason in way.refusals] == [True]


def test_the_mdadm_that_breaks_a_way_is_refused() -> None:
    plan, wish = _plan(Level.LINEAR, 2), ChangeWish(add=NEW[:1])
    assert way_of_shape(plan, wish, ArrayStanding(mdadm=MDADM_4_2)).possible
    assert "4.4" in str(way_of_shape(plan, wish, ArrayStanding(mdadm=MDADM_4_4)).refusals)


def test_a_raid10_that_holds_the_running_system_is_not_reshaped() -> None:
    """The system would be read at boot before md continues an interrupted reshape."""
    plan, wish = _plan(Level.RAID10, 4), ChangeWish(add=(_disk(4),))
    assert way_to(plan, wish, ArrayStanding()).possible
    assert "live system" in str(way_to(plan, wish, ArrayStanding(shares_backup=True)).refusals)


def _shrunk(content: ArrayContent | None, *, shares_backup: bool = False) -> ChangeWay:
    standing = ArrayStanding(content=content, shares_backup=shares_backup)
    return way_of_shape(_plan(Level.RAID5, 4), ChangeWish(slots=3), standing)


def test_fewer_members_by_the_sector() -> None:
    fits = capacity_of(_plan(Level.RAID5, 3)).array_sectors
    assert _shrunk(ArrayContent("ext4", "/srv/tank", fits)).possible
    assert "Shrink it first (resize2fs)" in str(_shrunk(ArrayContent("ext4", "/srv/tank", fits + 1)).refusals)
    assert "XFS can't shrink" in str(_shrunk(ArrayContent("xfs", "/srv/tank", fits + 1)).refusals)
    assert "isn't known" in str(_shrunk(None).refusals)
    assert "isn't known" in str(_shrunk(ArrayContent("crypto_LUKS")).refusals)
    assert _shrunk(ArrayContent()).possible


def test_shrinking_truncates_first_and_takes_a_backup_file_on_another_disk() -> None:
    way = _shrunk(ArrayContent())
    assert _kinds(way) == ["truncate", "reshape"]
    assert f"--array-size={capacity_of(way.after).array_sectors // 2}" in _commands(way)[0]
    assert "--raid-devices=3 --backup-file=/var/lib/raidwright/reshapes/" in _commands(way)[1]
    hidden = ArrayStanding(content=ArrayContent(), size_sectors=capacity_of(way.after).array_sectors)
    assert _kinds(way_of_shape(way.before, way.wish, hidden)) == ["reshape"]
    assert "on this very array" in str(_shrunk(ArrayContent(), shares_backup=True).refusals)


def test_larger_disks_are_used_to_their_end() -> None:
    plan = shaped(_plan(Level.RAID5, 3, component_size_kib=2**20))
    way = way_of_shape(plan, ChangeWish(larger=True))
    assert (_kinds(way), _commands(way)) == (["resize"], ["mdadm --grow /dev/md/tank --size=max"])
    assert capacity_of(way.after).array_sectors == capacity_of(replace(plan, component_size_kib=None)).array_sectors
    assert way_of_shape(way.after, ChangeWish(larger=True)).steps == ()


def _levels() -> st.SearchStrategy[MdArray]:
    shapes = [(Level.RAID1, (2, 3)), (Level.RAID5, (2, 3, 4)), (Level.RAID6, (4, 5)), (Level.RAID10, (4, 5))]
    shapes += [(Level.RAID0, (2, 3)), (Level.RAID4, (3, 4)), (Level.LINEAR, (2,))]
    plans = [_plan(level, count) for level, counts in shapes for count in counts]
    plans += [_plan(Level.RAID5, 3, consistency=Consistency.PPL), _plan(Level.RAID10, 4, layout="o2")]
    plans += [_plan(Level.RAID5, 4, chunk_kib=64, layout="parity-last")]
    return st.sampled_from([shaped(plan) for plan in plans])


WISHES = st.builds(
    ChangeWish,
    add=st.sampled_from([(), NEW[:1], NEW[:2]]),
    level=st.sampled_from([None, *Level]),
    chunk_kib=st.sampled_from([None, 64, 256]),
    layout=st.sampled_from([None, "right-symmetric", "n2"]),
)


@given(_levels(), WISHES)
def test_every_way_is_whole_and_can_be_resumed_after_any_step(plan: MdArray, wish: ChangeWish) -> None:
    try:
        way = way_of_shape(plan, wish, ArrayStanding(content=ArrayContent(), mdadm=MDADM_4_2))
    except InputError:
        return
    assert way.possible or all(reason.strip() for reason in way.refusals)
    if not way.possible:
        return
    _is_chained(way)
    goal = goal_of(way)
    for number, step in enumerate(way.steps, 1):
        assert step.power_cut
        assert step.way_back
        assert step_commands(step, "/dev/md/tank")
        left = way_of_shape(step.after, goal, ArrayStanding(content=ArrayContent(), mdadm=MDADM_4_2))
        assert _kinds(left) == _kinds(way)[number:], (plan.level, wish, _commands(way), _commands(left))


def _is_chained(way: ChangeWay) -> None:
    plans: Iterable[MdArray] = [step.before for step in way.steps[1:]]
    assert [step.after for step in way.steps[:-1]] == list(plans)
    moved = [step for step in way.steps if step.kind is ChangeKind.RESHAPE]
    assert all(step.read_bytes and step.written_bytes and step.member_bytes for step in moved)


LARGER = tuple(_disk(number, 12 * TB) for number in range(200, 204))


def _exchange(disks: int, level: Level = Level.RAID5, **standing: object) -> ChangeWay:
    plan = _plan(level, 4)
    content = ArrayContent("ext4", "/srv/tank")
    wish = ChangeWish(larger=True, exchange=LARGER[:disks])
    return way_of_shape(plan, wish, replace(ArrayStanding(content=content), **standing))  # type: ignore[arg-type]


def test_all_members_are_exchanged_and_then_the_array_grows() -> None:
    way = _exchange(4)
    assert _kinds(way) == ["exchange"] * 4 + ["resize", "grow-content"]
    assert _commands(way)[:4] == [
        f"mdadm --manage /dev/md/tank --add /dev/disk/by-id/{LARGER[0].id}",
        f"mdadm --manage /dev/md/tank --replace /dev/disk/by-id/{_disk(0).id} --with /dev/disk/by-id/{LARGER[0].id}",
        "mdadm --wait /dev/md/tank",
        f"mdadm --manage /dev/md/tank --remove /dev/disk/by-id/{_disk(0).id}",
    ]
    assert [step.survives for step in way.steps] == [1] * 6
    assert way.after.members == LARGER
    assert way.left_out == ()
    assert step_title(way.steps[1]) == "Copy Z1 onto Z201, which takes its place (2 of 4)"


def test_the_exchange_continues_from_what_stands() -> None:
    way = _exchange(4)
    for done, step in enumerate(way.steps[:4], 1):
        again = way_of_shape(step.after, goal_of(way), ArrayStanding(content=ArrayContent("ext4", "/srv/tank")))
        assert _kinds(again) == ["exchange"] * (4 - done) + ["resize", "grow-content"]
        assert again.after == way.after
    spare = replace(way.before, spares=LARGER[:1])
    assert [one.disks for one in way_of_shape(spare, goal_of(way)).steps[:4]] == [(disk,) for disk in LARGER]


def test_a_part_of_the_members_is_exchanged_and_the_way_says_where_it_is() -> None:
    way = _exchange(2)
    assert (_kinds(way), way.possible) == (["exchange"] * 2, True)
    assert str(way.left_out[0]).startswith("2 of 4 members are larger")
    later = way_of_shape(way.after, ChangeWish(larger=True))
    assert (_kinds(later), later.left_out) == ([], way.left_out)


def test_an_exchange_waits_for_the_copy_that_runs_and_refuses_other_work() -> None:
    assert _exchange(2, busy="recover").possible
    assert _exchange(2, busy="check").possible  # it is paused
    assert "md is busy with it (resync)" in str(_exchange(2, busy="resync").refusals[0])
    assert "A member is missing" in str(_exchange(2, missing=1).refusals[0])


def test_an_exchange_is_refused_for_smaller_disks_other_changes_and_without_redundancy() -> None:
    small = way_of_shape(_plan(Level.RAID5, 4), ChangeWish(larger=True, exchange=(_disk(300),)))
    assert str(small.refusals[0]) == "Z300 has no place: no member is smaller than it."
    both = way_of_shape(_plan(Level.RAID5, 4), ChangeWish(larger=True, exchange=LARGER, chunk_kib=64))
    assert "one after the other" in str(both.refusals[0])
    assert "has no copies or parity" in str(_exchange(4, Level.RAID0).refusals[0])


def test_the_partial_parity_log_is_dropped_for_larger_components_too() -> None:
    plan = replace(way_of_shape(_plan(Level.RAID5, 4), ChangeWish(larger=True, exchange=LARGER)).steps[3].after)
    way = way_of_shape(replace(plan, consistency=Consistency.PPL), ChangeWish(larger=True))
    assert _kinds(way) == ["drop-log", "resize", "put-log-back"]


def test_a_check_follows_what_moved_data_and_only_that() -> None:
    assert _kinds(way_to(_plan(Level.RAID5, 3), ChangeWish(add=NEW[:1]))) == ["add", "reshape", "check"]
    policy = way_to(_plan(Level.RAID5, 3, bitmap=Bitmap.INTERNAL), ChangeWish(consistency=Consistency.RESYNC))
    assert _kinds(policy) == ["drop-bitmap"]
    assert way_to(_plan(Level.RAID5, 3), ChangeWish(slots=3)).steps == ()


def test_words_of_the_shape_leave_mdadm_conf_before_it_changes() -> None:
    words = ("level=raid5", "num-devices=3", "spares=1")
    standing = ArrayStanding(conf_words=words)
    spare = _plan(Level.RAID5, 3, spares=NEW[:1])
    way = way_to(spare, ChangeWish(add=NEW[:1]), standing)
    assert (_kinds(way)[0], way.steps[0].options) == ("configure", words)
    kept = way_to(_plan(Level.RAID5, 3), ChangeWish(add=NEW[:1]), standing)
    assert kept.steps[0].options == words[:2]  # as many spares afterwards
    assert _kinds(way_to(_plan(Level.RAID5, 3), ChangeWish(chunk_kib=64), standing)) == ["reshape", "check"]
    [argv] = step_commands(way.steps[0], "/dev/md/tank", uuid="a:b")
    assert argv[:3] == ("sed", "-i", "-e/UUID=a:b/s/ level=raid5//")
    assert step_title(way.steps[0]).endswith("from starting: level=raid5, num-devices=3, spares=1")


@pytest.mark.parametrize(
    ("wish", "is_refused"),
    [
        (ChangeWish(chunk_kib=64), True),
        (ChangeWish(layout="right-symmetric"), True),
        (ChangeWish(level=Level.RAID6, add=NEW[:1]), True),
        (ChangeWish(add=NEW[:1]), True),
        (ChangeWish(slots=3), True),
        (ChangeWish(larger=True), True),
        (ChangeWish(consistency=Consistency.RESYNC), False),
        (ChangeWish(slots=4, level=Level.RAID5), False),
        (ChangeWish(add=(_disk(3),)), False),  # done already
    ],
    ids=str,
)
def test_a_former_member_that_would_keep_the_new_shape_from_starting_refuses_it(
    wish: ChangeWish, is_refused: bool
) -> None:
    standing = ArrayStanding(content=ArrayContent(), former=(FormerMember("/dev/sdz", 1, ("wwn-0x1",)),))
    way = way_to(_plan(Level.RAID5, 4, bitmap=Bitmap.INTERNAL), wish, standing)
    assert ("zero-superblock /dev/sdz" in str(way.refusals)) is is_refused


def test_an_exchange_goes_on_beside_the_members_that_it_has_taken_the_places_of() -> None:
    begun = way_of_shape(_plan(Level.RAID5, 4), ChangeWish(larger=True, exchange=LARGER)).steps[1].after
    wish = ChangeWish(larger=True, exchange=LARGER)
    taken = [slot for slot, one in enumerate(begun.members) if isinstance(one, Member) and one.id == LARGER[0].id]
    assert way_of_shape(begun, wish, ArrayStanding(former=(FormerMember("/dev/sdz", taken[0]),))).possible
    assert not way_of_shape(begun, wish, ArrayStanding(former=(FormerMember("/dev/sdz", 3),))).possible
    assert not way_of_shape(begun, wish, ArrayStanding(former=(FormerMember("/dev/sdz"),))).possible


def test_a_former_member_that_is_added_is_wiped_and_in_nobodys_way() -> None:
    own = FormerMember("/dev/sdz", 1, ("ata-WDC", NEW[0].id))
    part = FormerMember("/dev/sdz1", 1, (f"{NEW[0].id}-part1",))
    other = FormerMember("/dev/sdy", 1, (NEW[1].id,))
    for former, is_possible in ((own, True), (part, True), (other, False)):
        way = way_of_shape(_plan(Level.RAID5, 4), ChangeWish(add=NEW[:1]), ArrayStanding(former=(former,)))
        assert way.possible is is_possible
    assert former_of_line(own.line()) == own
    assert former_of_line(FormerMember("/dev/sdx").line()) == FormerMember("/dev/sdx")
