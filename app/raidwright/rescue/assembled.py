"""Hypotheses that keep the members' superblocks: assembled as they are, or by force, the freshest members first.

Sources: mdadm(8), Assemble mode, ``--force``; ``Assemble.c`` (the freshest stale members are taken first; without its
journal an array starts only by force, and read-only; force doesn't help a dirty array beside a member that was being
rebuilt, with which it counts as whole: that is put back later; force raises a stale member's events and leaves its
update time, which alone tells afterwards how old it is); kernel ``raid5.c raid5_run`` (likewise read-only).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product

from raidwright.core.md.assembly import RAID0_CHANGED_S, MemberState, assemblies, holds_all_data, is_known_shape
from raidwright.core.md.histories import of_branch
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import HAS_JOURNAL, MemberSuperblock, lacks_raid0_layout, raid0_layouts_agree
from raidwright.core.md.rescue.hypothesis import Hypothesis, RescueReason
from raidwright.core.model.plan import Member
from raidwright.core.model.rescue_attempt import RescueAttempt, RescueWay

from .table import newest_of

_AGREE = RescueReason.AGREE
_WAYS = {
    RescueReason.AGREE: RescueWay.ASSEMBLE,
    RescueReason.LAYOUT_ORIGINAL: RescueWay.ORIGINAL,
    RescueReason.LAYOUT_ALTERNATE: RescueWay.ALTERNATE,
    RescueReason.LAYOUT_EITHER: RescueWay.ALTERNATE,
}
_MAX_FORCED = 8
_MAX_COPIES = 4  # choices among disks that say that they are the same slot
_NO_CLEAN_NEEDED = frozenset({Level.LINEAR, Level.RAID0, Level.RAID1, Level.RAID10})


def assembled(
    kept: Mapping[str, MemberSuperblock], found: Mapping[str, MemberSuperblock | None], disks: Mapping[str, Member]
) -> Iterator[Hypothesis]:
    """Yield the hypotheses that keep the superblocks: as they are, then with force, the freshest members first."""
    newest = newest_of(kept) if kept else None
    if newest is None or not is_known_shape(newest):
        return
    halves = assemblies(kept)[0].halves
    for half in halves:  # never members of two of them: they hold different data
        for hypothesis in _together(of_branch(kept, half.members[0]), found, disks):
            yield replace(hypothesis, reason=RescueReason.HALF) if hypothesis.reason is _AGREE else hypothesis
    if not halves:
        yield from _together(kept, found, disks)


def _together(
    kept: Mapping[str, MemberSuperblock], found: Mapping[str, MemberSuperblock | None], disks: Mapping[str, Member]
) -> Iterator[Hypothesis]:
    """Yield the hypotheses of members that have one history."""
    newest = newest_of(kept)
    states = dict(assemblies(kept)[0].members)
    claims: dict[int, list[str]] = {}
    for disk in sorted(kept, key=lambda disk: -kept[disk].events):
        slot = kept[disk].slot
        if slot is not None and slot < newest.slots and states[disk] in (MemberState.AGREES, MemberState.BEHIND):
            claims.setdefault(slot, []).append(disk)
    extras = [disk for disk, state in states.items() if state is MemberState.JOURNAL]
    for chosen in islice(product(*claims.values()), _MAX_COPIES):
        slots = dict(zip(claims, chosen, strict=True))
        yield from _with_slots(slots, kept, states, extras, found, disks)


def _with_slots(
    slots: Mapping[int, str],
    kept: Mapping[str, MemberSuperblock],
    states: Mapping[str, MemberState],
    extras: Sequence[str],
    found: Mapping[str, MemberSuperblock | None],
    disks: Mapping[str, Member],
) -> Iterator[Hypothesis]:
    newest = newest_of(kept)
    fresh = {slot: disk for slot, disk in slots.items() if states[disk] is MemberState.AGREES}
    stale = {slot: disk for slot, disk in slots.items() if slot not in fresh}
    lacks_journal = bool(newest.feature_map & HAS_JOURNAL) and not extras

    def hypothesis(used: Mapping[int, str], reason: RescueReason) -> Hypothesis:
        ordered = tuple(used.get(slot) for slot in range(newest.slots))
        ids = [*used.values(), *extras]
        way = _WAYS.get(reason, RescueWay.FORCE)
        attempt = RescueAttempt(way, newest.uuid, newest.label, tuple(disks[disk] for disk in ids))
        behind = max(newest.events - kept[disk].events for disk in ids)
        return Hypothesis(
            reason, ordered, tuple(disk for disk in found if disk not in ids), attempt, behind, lacks_journal
        )

    members = [kept[disk] for disk in fresh.values()]
    if fresh and holds_all_data(newest, fresh) and lacks_raid0_layout(members):
        if raid0_layouts_agree(members):
            yield hypothesis(fresh, RescueReason.LAYOUT_EITHER)
            return
        was_old = bool(newest.created_s) and newest.created_s < RAID0_CHANGED_S
        both = (RescueReason.LAYOUT_ORIGINAL, RescueReason.LAYOUT_ALTERNATE)
        yield from (hypothesis(fresh, reason) for reason in (both if was_old else both[::-1]))
        return
    if fresh and holds_all_data(newest, fresh):
        is_whole = len(fresh) == newest.slots
        is_safe = is_whole or newest.is_clean or newest.level in _NO_CLEAN_NEEDED
        reason = RescueReason.AGREE if is_safe or extras else RescueReason.DIRTY
        yield hypothesis(fresh, RescueReason.JOURNAL if lacks_journal else reason)
        return
    is_raised = any(kept[disk].events == newest.events for disk in stale.values())
    freshness = {slot: kept[disk].updated_s if is_raised else kept[disk].events for slot, disk in stale.items()}
    ways = (
        chosen
        for count in range(1, len(stale) + 1)
        for chosen in sorted(combinations(stale, count), key=lambda some: _lag(some, freshness))
        if holds_all_data(newest, {*fresh, *chosen}) and not _has_spare_choice(newest, fresh, chosen)
    )
    for chosen in islice(ways, _MAX_FORCED):
        yield hypothesis(fresh | {slot: stale[slot] for slot in chosen}, RescueReason.BEHIND)


def _lag(slots: Sequence[int], freshness: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(sorted((-freshness[slot] for slot in slots), reverse=True))


def _has_spare_choice(newest: MemberSuperblock, fresh: Mapping[int, str], chosen: Sequence[int]) -> bool:
    """True if fewer of the stale members would do: each more brings older data in."""
    return any(holds_all_data(newest, {*fresh, *chosen} - {slot}) for slot in chosen)
