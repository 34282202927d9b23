"""All examined disks of an array that doesn't start: the table, and the hypotheses in the order to try them.

Every hypothesis is tried on overlays before anything is written to a disk. Those that keep the superblocks come first;
those that make lost ones anew come after them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Member, Plan

from .assembled import assembled
from .hypothesis import MAX_HYPOTHESES, Hypothesis
from .made_anew import made_anew
from .table import ExaminedDisk, main_array, newest_of, table_of

_RUNS = say(
    "Stop it first: this array runs, so nothing of it is tried, since what a trial reads would change meanwhile. Stop "
    "it if what it shows isn't what you look for; then list the ways again."
)


@dataclass(frozen=True, slots=True)
class Examined:
    """All examined disks: the table, the hypotheses in their order, and ``lost``, why there is none, or None."""

    disks: tuple[ExaminedDisk, ...]
    hypotheses: tuple[Hypothesis, ...]
    lost: Message | None = None


def examine(
    found: Mapping[str, MemberSuperblock | None],
    disks: Mapping[str, Member],
    card: Plan | None = None,
    uuid: str = "",
    running: Collection[str] = (),
) -> Examined:
    """Return the table and the hypotheses of the disks ``found``, by id; ``disks`` are the same as plan members.

    ``card`` is a plan of the array (a recovery card's, an imported report's), in the order of its slots unless it says
    that the order is unknown. ``uuid`` is the array that is meant; "" for the one with the most members. ``running``
    are the disks that it runs of: then there is nothing to try before it is stopped.
    """
    uuid = uuid or main_array(found)
    disks = {disk: disks[disk] for disk in found}
    table = tuple(table_of(found, uuid, running))
    if running:
        return Examined(table, (), _RUNS)
    kept = {disk: one for disk, one in found.items() if one and one.uuid == uuid}
    hypotheses = list(assembled(kept, found, disks))
    lost = None
    try:
        hypotheses += made_anew(kept, found, disks, card, uuid)
    except InputError as error:
        lost = error.sentence
    distinct = {one.attempt.digest: one for one in reversed(hypotheses)}
    ordered = sorted(distinct.values(), key=hypotheses.index)[:MAX_HYPOTHESES]
    return Examined(table, tuple(ordered), None if ordered else lost or _why_lost(kept, found))


def _why_lost(kept: Mapping[str, MemberSuperblock], found: Mapping[str, MemberSuperblock | None]) -> Message:
    """Return why no hypothesis is left, in a sentence with the way on."""
    if not kept and any(found.values()):
        return say(
            "None of these {disks} disks belongs to that array. Plug its disks in, or give its recovery card "
            "(--card FILE).",
            disks=len(found),
        )
    if not kept:
        return say(
            "None of these {disks} disks has a superblock of md. With the array's recovery card, or what mdadm "
            "--examine or --detail once printed of it, the superblocks can be made anew (--card FILE).",
            disks=len(found),
        )
    newest = newest_of(kept)
    here = len({one.slot for one in kept.values() if one.slot is not None})
    return say(
        "{here} of the array's {slots} members are here, and its data need more: what is on the others can't be saved "
        "without them. Look for the missing disks first.",
        here=here,
        slots=newest.slots,
    )
