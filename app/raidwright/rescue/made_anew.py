"""Hypotheses that make lost superblocks anew (``mdadm --create --assume-clean``), only ever on overlays first.

By a recovery card's facts, by the surviving members', or in every order of the disks (``search``); nothing is guessed:
what neither a card nor a member tells makes no hypothesis. Source: mdadm(8), ``--assume-clean``, ``--data-offset``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.md.array_survival import array_survives
from raidwright.core.md.assembly import holds_all_data, is_known_shape
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level, layout_name
from raidwright.core.md.member_superblock import RECOVERING, REPLACES, RESHAPES, MemberSuperblock
from raidwright.core.md.rescue.hypothesis import Hypothesis, RescueReason
from raidwright.core.md.rescue.search import Search
from raidwright.core.messages import say
from raidwright.core.model.names import is_array_name
from raidwright.core.model.plan import MdArray, Member, Metadata
from raidwright.core.model.rescue_attempt import attempt_to_create

from .recreation import plan_to_recreate
from .table import newest_of

_SECTORS_PER_KIB = 2


def search_for(
    kept: Mapping[str, MemberSuperblock],
    found: Mapping[str, MemberSuperblock | None],
    disks: Mapping[str, Member],
    card: MdArray | None,
    uuid: str,
) -> Search | None:
    """Return the search for the members of the array ``uuid`` ("" if unknown); None if nothing has to be made anew.

    Raises InputError if the facts don't allow it.
    """
    if card is not None:
        return _by_card(card, uuid, found, disks)
    if kept and any(one is None for one in found.values()):
        return _by_facts(kept, found)
    return None


def _by_card(
    card: MdArray, uuid: str, found: Mapping[str, MemberSuperblock | None], disks: Mapping[str, Member]
) -> Search:
    if card.is_nested:
        raise InputError(
            "The card is of a nested array. Rescue its inner arrays first, each by its own part of the card.",
            code="rescue-nested",
        )
    here = [_disk_of(member, disks) if isinstance(member, Member) else None for member in card.members]
    if all(disk is None for disk in here) or "members" in card.unknown:
        plan = replace(card, unknown=tuple(name for name in card.unknown if name != "members"))
        slots, everywhere = len(card.members), tuple(range(len(card.members)))
        most = min(slots, len(found))
        fewer = tuple(count for count in range(most - 1, 0, -1) if _would_do(plan, count))
        return Search(plan, uuid, (None,) * slots, everywhere, tuple(found), (most,), fewer)
    # a replaced disk isn't on an old card: those that are here and aren't on it may be in its place
    empty = tuple(slot for slot, disk in enumerate(here) if disk is None and card.members[slot] is not None)
    others = tuple(disk for disk in found if disk not in here)
    counts = (len(empty),) if empty and len(others) >= len(empty) else ()
    return Search(card, uuid, tuple(here), empty, others, counts, stated=RescueReason.CARD)


def _would_do(plan: MdArray, count: int) -> bool:
    """Return whether some ``count`` members can hold all data."""
    return array_survives(replace(plan, members=(None,) * len(plan.members)), range(count, len(plan.members)))


def _disk_of(member: Member, disks: Mapping[str, Member]) -> str | None:
    """Return the disk that the card means: by its by-id name, else by its serial number and partition."""
    if member.id in disks:
        return member.id
    same = [
        disk
        for disk, here in disks.items()
        if member.serial and here.serial == member.serial and here.partition == member.partition
    ]
    return same[0] if len(same) == 1 else None


def _by_facts(kept: Mapping[str, MemberSuperblock], found: Mapping[str, MemberSuperblock | None]) -> Search | None:
    newest = newest_of(kept)
    plan = _shape_of(kept)
    slots: list[str | None] = [None] * newest.slots
    for disk in sorted(kept, key=lambda disk: kept[disk].events):
        slot = kept[disk].slot
        if slot is not None and slot < newest.slots and not kept[disk].feature_map & (RECOVERING | REPLACES):
            slots[slot] = disk
    empty = tuple(slot for slot, disk in enumerate(slots) if disk is None)
    if not empty or holds_all_data(newest, {slot for slot, disk in enumerate(slots) if disk}):
        return None
    blank = tuple(disk for disk, one in found.items() if one is None)
    counts = tuple(range(1, min(len(empty), len(blank)) + 1))
    return Search(plan, newest.uuid, tuple(slots), empty, blank, counts)


def _shape_of(kept: Mapping[str, MemberSuperblock]) -> MdArray:
    """Return the plan of the surviving members' facts, its members left open; raises InputError."""
    newest = newest_of(kept)
    if not is_known_shape(newest) or newest.feature_map & RESHAPES:
        raise InputError(
            "The surviving superblocks are of a reshaped array, or of a level that isn't known here; no superblock can "
            "be made anew by them.",
            code="rescue-facts",
        )
    offsets = {one.data_offset_sectors for one in kept.values()}
    if len(offsets) > 1:
        raise InputError(
            "The members' data begin at different places, so the place on a disk without a superblock is unknown. A "
            "recovery card says it.",
            code="rescue-offsets",
        )
    level, metadata = Level(newest.level), Metadata(newest.metadata)
    offset_kib = newest.data_offset_sectors // _SECTORS_PER_KIB
    return MdArray(
        level,
        (None,) * newest.slots,
        name=newest.name if is_array_name(newest.name) else "rescued",
        layout=layout_name(level, newest.layout) or None if level is not Level.RAID0 else None,
        chunk_kib=newest.chunk_sectors // _SECTORS_PER_KIB or None if level.is_chunked else None,
        metadata=metadata,
        component_size_kib=newest.component_sectors // _SECTORS_PER_KIB or None,
        data_offset_kib=offset_kib or None if metadata in (Metadata.V1_1, Metadata.V1_2) else None,
    )


def recreated(
    search: Search,
    order: Sequence[str | None],
    reason: RescueReason,
    found: Mapping[str, MemberSuperblock | None],
    disks: Mapping[str, Member],
) -> Hypothesis:
    """Return the hypothesis that makes the superblocks of ``order`` anew; raises InputError."""
    members = tuple(disks[disk] if disk else None for disk in order)
    meant = replace(search.plan, members=members, spares=(), journal=None, consistency=None)
    try:
        again = plan_to_recreate(meant, capacity_of(meant))
    except (PlanRefused, StopIteration) as error:
        sentence = error.sentence if isinstance(error, PlanRefused) else say("It has no member at all.")
        raise InputError("The array can't be made anew: {why}", code="rescue-plan", why=sentence) from error
    if again is None:
        raise InputError(
            "The card or report doesn't say all that is needed to make the superblocks anew, and a guess would destroy "
            "the data. What mdadm --examine printed of the disks, or a recovery card, does.",
            code="rescue-guess",
        )
    left_out = tuple(disk for disk in found if disk not in order)
    return Hypothesis(reason, tuple(order), left_out, attempt_to_create(again, search.uuid))
