"""Reasons why an array can't be changed, by its running state, by its content, or by md's rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.reshape.possibility import Needs, Possibility
from raidwright.core.messages import Message, say, sentences
from raidwright.core.model.plan import MdArray, Member

from .values import ArrayContent, ArrayStanding, ChangeStep, ChangeWish

SHRINKABLE = {"ext4": "resize2fs", "ext3": "resize2fs", "btrfs": "btrfs filesystem resize", "LVM2_member": "pvresize"}

OVER_ARRAYS = say("Its members are arrays. Raidwright changes arrays of disks alone; change the inner ones.")
_IF_IT_CAN = say("if it can be shrunk")


def standing_refusals(plan: MdArray, standing: ArrayStanding, wish: ChangeWish) -> Iterator[Message]:
    """Yield the reasons in the array's running state; an exchange waits for the copy that runs, a check is paused."""
    if standing.missing:
        yield say("A member is missing. Replace it first: a change without it would leave nothing to fall back on.")
    if standing.reshapes or standing.busy == "reshape":
        yield say("md is changing its shape already; wait until that has ended.")
    elif standing.busy not in ("", "check") and not (wish.exchange and standing.busy == "recover"):
        yield say("md is busy with it ({action}); wait until it is idle.", action=standing.busy)
    if why := _former_refusal(plan, standing, wish):
        yield why
    if plan.is_nested:
        yield OVER_ARRAYS
    if plan.level is Level.RAID0 and plan.component_size_kib and _uses_more(plan, standing):
        yield say(
            "Its superblocks name {size:size} of each disk, as --size once said, and RAID 0 uses more. mdadm would go "
            "by that, and stop half-way.",
            size=1024 * plan.component_size_kib,
        )


def _former_refusal(plan: MdArray, standing: ArrayStanding, wish: ChangeWish) -> Message | None:
    """Return why former members keep the array from another shape; None if none does.

    mdadm compares superblocks of one UUID by level, layout, component size, chunk and number of members, whatever their
    events (``super1.c compare_super1``): one left from before a change ends each ``--assemble --scan`` ("doesn't match
    others - assembly aborted"), and where udev finds it first the true members are refused (``Incremental.c``:
    "metadata mismatch"). What is added is wiped first, and the exchange itself frees the disks whose places
    ``wish.exchange`` has taken.
    """
    if _keeps_shape(plan, wish):
        return None
    new = {disk.id for disk in wish.exchange}
    taken = {slot for slot, one in enumerate(plan.members) if isinstance(one, Member) and one.id in new}
    left = [one for one in standing.former if one.freed_slot not in taken]
    if former := [one.node for one in left if not any(map(one.is_of, wish.new))]:
        return say(
            "{disks:and} carries its superblock and has no place in it. Once the array has another shape, mdadm can "
            "take that old superblock for the array's at the next boot, and then doesn't start it. Remove it if it has "
            "failed (raidwright array remove), then unplug it or erase its superblock (mdadm --zero-superblock "
            "{node}), and ask again.",
            disks=former,
            node=former[0],
        )
    return None


def _keeps_shape(plan: MdArray, wish: ChangeWish) -> bool:
    members = {one.id for one in plan.members if isinstance(one, Member)}
    changes = (
        wish.larger or any(disk.id not in members for disk in wish.new),
        wish.level not in (None, plan.level),
        wish.slots not in (None, len(plan.members)),
        wish.layout not in (None, plan.layout),
        wish.chunk_kib not in (None, plan.chunk_kib),
    )
    return not any(changes)


def _uses_more(plan: MdArray, standing: ArrayStanding) -> bool:
    """Return whether a raid0 uses more of its disks than mdadm takes it for (``Grow.c analyse_change``)."""
    named = 2 * (plan.component_size_kib or 0) * len(plan.members)
    return named < (standing.size_sectors or capacity_of(plan).array_sectors)


def cut_off_refusal(steps: Sequence[ChangeStep], standing: ArrayStanding) -> Message | None:
    """Return the reason why the array can't end where one of ``steps`` leaves it; None if none makes it smaller."""
    least = min((capacity_of(step.after).array_sectors for step in steps), default=None)
    if least is None or least >= capacity_of(steps[0].before).array_sectors:
        return None
    return content_refusal(standing.content, least)


def content_refusal(content: ArrayContent | None, sectors: int) -> Message | None:
    """Return the reason why an array with ``content`` can't end after ``sectors``; None if nothing would be cut off."""
    if content is not None and content.kind == "xfs" and content.mounted_at and (content.sectors or 0) <= sectors:
        return say("XFS is mounted, and may grow to the array's end at any time. Unmount it, and ask for this again.")
    if content is not None and (not content.kind or (content.sectors is not None and content.sectors <= sectors)):
        return None
    if content is None or content.sectors is None:
        return say(
            "How much of the array its content uses isn't known, so nothing may be cut off; the new end would be after "
            "{sectors:,} sectors.",
            sectors=sectors,
        )
    if content.kind == "xfs":
        return say(
            "XFS can't shrink: it uses {used:,} sectors, and {sectors:,} would be left. Save the files elsewhere, and "
            "make the file system anew.",
            used=content.sectors,
            sectors=sectors,
        )
    return say(
        "The {kind} on it uses {used:,} sectors, and {sectors:,} would be left. Shrink it first ({how}).",
        kind=content.kind,
        used=content.sectors,
        sectors=sectors,
        how=SHRINKABLE.get(content.kind, _IF_IT_CAN),
    )


def unreachable(plan: MdArray, wish: ChangeWish, rules: tuple[Possibility, ...]) -> Message:
    """Return the reason why no sequence of moves leads to ``wish``."""
    changes = {rule.change: rule for rule in rules}
    asked = []
    if wish.level is not None and wish.level is not plan.level:
        asked.append(str(wish.level))
    if wish.chunk_kib is not None and wish.chunk_kib != plan.chunk_kib:
        asked.append("chunk")
    if wish.layout is not None and wish.layout != plan.layout:
        asked.append("layout")
    if wish.add or (wish.slots or 0) > len(plan.members):
        asked.append("more-members")
    reasons = [sentence for change in asked if (rule := changes.get(change)) for sentence in _why(rule, plan, wish)]
    if reasons:
        return sentences(tuple(dict.fromkeys(reasons)))
    return say("md has no way there from {level} on {slots} members.", level=plan.level, slots=len(plan.members))


def _why(rule: Possibility, plan: MdArray, wish: ChangeWish) -> Iterator[Message]:
    if not rule.possible:
        yield rule.reason
        return
    for need in rule.conditions:
        if need.needs is Needs.DISKS and int(need.value or 0) > len(plan.spares) + len(wish.add):
            yield need.sentence
        if need.needs in (Needs.CHUNK, Needs.LAYOUT, Needs.ARRAYS):
            yield need.sentence
