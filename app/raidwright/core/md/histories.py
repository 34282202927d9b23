"""Histories of an array's members, told from all superblocks, pairwise: the same, behind, ahead, or parted.

An event count alone doesn't tell which member has what the others lack. A member that ran without others says so in
its superblock (its roles, mdadm's "Array State"): two members each of which says that the other is missing were both
written to on their own, and neither count nor date makes one of them the other's older state. Of such members md
itself mixes the data: its ``--re-add`` looks at event counts and at the running array's bitmap alone.

Superblocks name each other by numbers, and md gives a number again once its disk is gone: a disk that was made new on
one side in the number and slot that another had on the other side isn't told from that.

What superblocks can't tell is judged to be parted, which costs a full rebuild and no data: a member that was last
written to while a slot was missing that works now may have missed nothing, or have gone its own way meanwhile.

Sources: kernel ``md.c`` (``super_1_sync``: roles; ``md_update_sb``: the count only grows while the array is degraded;
``super_1_validate``: whether a member is re-added), ``md_p.h``; mdadm ``Manage.c`` (``attempt_re_add``; a new disk gets
the lowest number that is free from the slots' on). Tried with Linux 6.1 and mdadm 4.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from .member_superblock import RECOVERING, RECOVERS_BY_BITMAP, REPLACES, MemberSuperblock

EVENT_MARGIN = 1  # md writes the superblocks one after the other (``md.c``, analyze_sbs)


class History(StrEnum):
    """A member's history beside that of others. The values are part of ``raidwright array list --json``."""

    SAME = "same"
    BEHIND = "behind"  # it left, and the others went on: they have all that it has
    AHEAD = "ahead"  # the others left, and it went on
    PARTED = "parted"  # both went on without the other
    REBUILDING = "rebuilding"  # its rebuild never ended, so it holds nothing of its own
    COPY = "copy"  # of one of the others, as dd makes it
    NO_DATA = "no-data"  # a spare or a journal

    @property
    def has_own_data(self) -> bool:
        """True if it may hold data that the others lack."""
        return self in (History.AHEAD, History.PARTED)

    @property
    def catches_up(self) -> bool:
        """True if nothing is lost when it gets what it missed, and only that."""
        return self in (History.SAME, History.BEHIND)


@dataclass(frozen=True, slots=True)
class Branch:
    """The members that were written to together last, by the caller's names; ``updated_s`` is Unix time."""

    members: tuple[str, ...]
    slots: tuple[int, ...]
    events: int
    updated_s: int


def history(one: MemberSuperblock, others: Iterable[MemberSuperblock]) -> History:
    """Return the history of ``one`` beside that of ``others``, which are in the same array and belong together."""
    others = tuple(others)
    if not _holds_data(one):
        return History.NO_DATA if one.slot is None else History.REBUILDING
    whole = [other for other in others if _holds_data(other)]
    known = [other for other in whole if not _are_strangers(one, other)]
    found = {_between(one, other) for other in known or whole}
    if History.PARTED in found or found >= {History.AHEAD, History.BEHIND}:
        return History.PARTED
    if History.AHEAD in found:
        return History.AHEAD
    if one.device_uuid and any(one.device_uuid == other.device_uuid for other in others):
        return History.COPY
    return History.BEHIND if History.BEHIND in found else History.SAME


def beside_running(one: MemberSuperblock, member: MemberSuperblock, working: Iterable[int]) -> History:
    """Return the history of ``one`` beside a running array's, of which ``member`` is any working member.

    ``working`` are the slots that work: all of them have ``member``'s roles and events.
    """
    slots = set(working) | {member.slot}
    if not member.roles:
        return history(one, (member, *(_as_in(member, None, slot) for slot in slots - {member.slot})))
    numbers = (number for number, slot in enumerate(member.roles) if slot in slots and number != member.number)
    return history(one, (member, *(_as_in(member, number, member.roles[number]) for number in numbers)))


def branches(found: Mapping[str, MemberSuperblock]) -> tuple[Branch, ...]:
    """Return the newest states of one array's members ``found``, the one written to last first.

    More than one: they have parted. Members that are behind one of them are in none.
    """
    kept = {name: one for name, one in found.items() if _holds_data(one)}
    groups: list[dict[str, MemberSuperblock]] = []
    for name in sorted(kept, key=lambda name: (-kept[name].updated_s, -kept[name].events, name)):
        one = kept[name]
        if any(_between(one, other) is History.BEHIND for other in kept.values()):
            continue
        fitting = (group for group in groups if all(_between(one, other) is History.SAME for other in group.values()))
        if (group := next(fitting, None)) is None:
            groups.append({name: one})
        else:
            group[name] = one
    return tuple(map(_branch, groups))


def of_branch(found: Mapping[str, MemberSuperblock], name: str) -> Mapping[str, MemberSuperblock]:
    """Return the members ``found`` without those that parted from the branch of ``name``."""
    own = next((one.members for one in branches(found) if name in one.members), (name,))
    return {
        other: one
        for other, one in found.items()
        if other in own or history(one, [found[member] for member in own]) is not History.PARTED
    }


def parted_from(found: Mapping[str, MemberSuperblock], branch: Branch) -> frozenset[str]:
    """Return the members ``found`` that went their own way, away from ``branch``."""
    return frozenset(found) - frozenset(of_branch(found, branch.members[0]))


def _branch(group: Mapping[str, MemberSuperblock]) -> Branch:
    slots = sorted({one.slot for one in group.values() if one.slot is not None})
    newest_s = max(one.updated_s for one in group.values())
    return Branch(tuple(sorted(group)), tuple(slots), max(one.events for one in group.values()), newest_s)


def _holds_data(one: MemberSuperblock) -> bool:
    is_incomplete = one.feature_map & (RECOVERING | REPLACES) and not one.feature_map & RECOVERS_BY_BITMAP
    return one.slot is not None and not is_incomplete


def _between(one: MemberSuperblock, other: MemberSuperblock) -> History:
    """Return the history of ``one`` beside that of ``other``."""
    went_on, was_left = _ran_without(one, other), _ran_without(other, one)
    if (went_on and was_left) or _are_strangers(one, other):
        return History.PARTED
    if was_left:
        return History.BEHIND if _is_earlier(one, other) else History.PARTED
    if went_on:
        return History.AHEAD if _is_earlier(other, one) else History.PARTED
    if abs(one.events - other.events) <= EVENT_MARGIN:
        return History.SAME
    return History.BEHIND if one.events < other.events else History.AHEAD


def _is_earlier(left: MemberSuperblock, stayed: MemberSuperblock) -> bool:
    """Return whether the member that was left wasn't written to since: noting its loss was an event of its own."""
    return left.events < stayed.events and left.updated_s <= stayed.updated_s


def _ran_without(one: MemberSuperblock, other: MemberSuperblock) -> bool:
    """Return whether ``one`` says that ``other`` doesn't work: its slot is missing, or was given to a later disk."""
    holders = _holders(one, other)
    return other.slot not in one.working or (bool(holders) and 0 <= other.number < min(holders))


def _are_strangers(one: MemberSuperblock, other: MemberSuperblock) -> bool:
    """Return whether one of them came into its slot after the other knew another disk there.

    What such a disk was filled from, its superblock doesn't tell. A member that was last written to with every disk of
    the array's creation has nothing that it could lack.
    """
    return _is_later(one, other) or _is_later(other, one)


def _is_later(one: MemberSuperblock, other: MemberSuperblock) -> bool:
    if one.roles == tuple(range(one.slots)):
        return False
    holders = _holders(one, other)
    return bool(holders) and other.number > min(holders) and other.number not in holders


def _holders(one: MemberSuperblock, other: MemberSuperblock) -> list[int]:
    """Return the numbers that ``one`` has in the slot of ``other``: two while a replacement takes over."""
    return [number for number, slot in enumerate(one.roles) if slot == other.slot]


def _as_in(member: MemberSuperblock, number: int | None, slot: int | None) -> MemberSuperblock:
    """Return the superblock of another working member of the array, which says the same."""
    return replace(member, number=-1 if number is None else number, slot=slot, device_uuid="")
