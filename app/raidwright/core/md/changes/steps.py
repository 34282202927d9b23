"""Steps of a change with their consequences: failures and power cuts meanwhile, the undo, and the bytes moved.

Sources: kernel ``raid5.c`` (``reshape_request``: each sector of the old members is read, each of the new ones written;
a failed member leaves the reshape running), ``md.c`` (``md_run``: raid4, 5 and 6 that are dirty and degraded don't
start without force); mdadm(8), Grow mode (critical section, backup file). Tried with mdadm 4.2 and 4.4 on Linux 6.1:
an array cut off in a reshape comes up inactive, and ``--run`` continues it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raidwright.core.errors import InputError
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.reshape.changes import possibilities
from raidwright.core.md.reshape.possibility import Needs, Possibility
from raidwright.core.md.survival import survival_of
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Bitmap, MdArray, Member
from raidwright.core.protocol.facts import UNKNOWN

from .transitions import Transition
from .values import ArrayContent, ChangeKind, ChangeStep

GROWN = {"ext4", "ext3", "xfs", "btrfs", "LVM2_member"}
_EXTENT_SECTORS = 8192  # lvm's default, 4 MiB
_AT_ONCE = say("It is done within a moment: after a power cut the array is as before it or as after it.")
_PENDING = say(
    "The array may come up inactive, with its reshape pending; once it is started and written to, md continues where "
    "it was. If a member is lost as well, md starts it by force alone, and what was being written may be wrong."
)
_WITH_BACKUP = say(
    "The array may come up inactive and is assembled with its backup file, which lies on another disk; without that "
    "file the stripes in the critical section are lost. mdadm up to 4.6 doesn't sync the file before md relies on it."
)


def survives(*plans: MdArray) -> int:
    """Return the number of disks of which any may fail, whichever of ``plans`` the array is just then."""
    return max(0, min(survival_of(plan).most() for plan in plans))


def foreclosed(before: MdArray, after: MdArray) -> tuple[Possibility, ...]:
    """Return the changes that ``before`` has and ``after`` hasn't, with the reasons there."""
    open_before = {rule.change for rule in possibilities(before) if rule.possible}
    return tuple(rule for rule in possibilities(after) if not rule.possible and rule.change in open_before)


def add_step(plan: MdArray, disks: tuple[Member, ...]) -> ChangeStep:
    """Return the step that adds ``disks`` as spares."""
    return ChangeStep(
        ChangeKind.ADD,
        plan,
        replace(plan, spares=(*plan.spares, *disks)),
        disks=disks,
        survives=survives(plan),
        power_cut=_AT_ONCE,
        way_back=say("Until the next step they are spares, which can be removed; what they held before is gone."),
    )


def log_step(before: MdArray, after: MdArray, kind: ChangeKind) -> ChangeStep:
    """Return the step that drops the partial parity log, or puts it back."""
    is_dropped = kind is ChangeKind.DROP_LOG
    return ChangeStep(
        kind,
        before,
        after,
        ("--consistency-policy=resync",) if is_dropped else ("--consistency-policy=ppl",),
        survives=survives(before),
        power_cut=say(
            "Without the log a power cut is followed by a resync; with a member missing at that moment, what was being "
            "written may be wrong."
        )
        if is_dropped
        else _AT_ONCE,
        way_back=say("The log can be switched on and off at any time."),
    )


def bitmap_step(before: MdArray, after: MdArray) -> ChangeStep:
    """Return the step that drops the write-intent bitmap, or puts one on the array."""
    is_dropped = after.bitmap is Bitmap.NONE
    return ChangeStep(
        ChangeKind.DROP_BITMAP if is_dropped else ChangeKind.PUT_BITMAP,
        before,
        after,
        ("--bitmap=none",) if is_dropped else ("--bitmap=internal",),
        survives=survives(before),
        power_cut=say("Without the bitmap a power cut is followed by a resync of the whole array.")
        if is_dropped
        else _AT_ONCE,
        way_back=say("A bitmap can be switched on and off at any time."),
    )


def truncate_step(plan: MdArray, sectors: int) -> ChangeStep:
    """Return the step that hides the array after ``sectors``, before anything is lost there."""
    return ChangeStep(
        ChangeKind.TRUNCATE,
        plan,
        plan,
        (f"--array-size={sectors // 2}",),
        survives=survives(plan),
        power_cut=say("Nothing has moved. md forgets this limit at the next start."),
        way_back=say("--array-size=max shows the hidden part again, unchanged, until the next step begins."),
    )


def exchange_step(plan: MdArray, slot: int, disk: Member) -> ChangeStep:
    """Return the step that has md copy the member in ``slot`` onto ``disk``, and lets the member go."""
    component = 1024 * (plan.component_size_kib or 0)
    members = (*plan.members[:slot], disk, *plan.members[slot + 1 :])
    return ChangeStep(
        ChangeKind.EXCHANGE,
        plan,
        replace(plan, members=members, spares=tuple(one for one in plan.spares if one.id != disk.id)),
        disks=(disk,),
        survives=survives(plan),
        power_cut=say("md continues the copy, or begins it again. Until it is whole the old disk serves."),
        way_back=say(
            "The old disk can be put back in the same way as long as the array doesn't use what the new one has more."
        ),
        read_bytes=component,
        written_bytes=component,
        member_bytes=component,
        slot=slot,
    )


def larger_step(before: MdArray, after: MdArray) -> ChangeStep:
    """Return the step that raises the component size; md resyncs what is new."""
    new_bytes = 1024 * ((after.component_size_kib or 0) - (before.component_size_kib or 0))
    return ChangeStep(
        ChangeKind.RESIZE,
        before,
        after,
        ("--size=max",),
        survives=survives(before),
        power_cut=say("The resync of the new part begins again, or continues by the bitmap. No data are at stake."),
        way_back=say("--size with the old size undoes it, until something lies on the new part."),
        forecloses=foreclosed(before, after),
        read_bytes=new_bytes * len(after.members),
        written_bytes=new_bytes,
        member_bytes=new_bytes,
    )


def reshape_step(plan: MdArray, move: Transition) -> ChangeStep:
    """Return the step of one ``mdadm --grow``."""
    after = move.after
    copies = plan.level is Level.RAID1 and after.level is Level.RAID1
    component = 1024 * (plan.component_size_kib or 0)
    member_bytes = component if copies else _member_bytes(plan, after) if move.restripes else 0
    read = component if copies else component * len(plan.members) if move.restripes else 0
    written = component * (len(after.members) - len(plan.members)) if copies else member_bytes * len(after.members)
    return ChangeStep(
        ChangeKind.RESHAPE if member_bytes else ChangeKind.TAKEOVER,
        plan,
        replace(after, consistency=None),
        move.options,
        move.disks,
        survives(plan, after),
        tuple(need for need in move.possibility.conditions if need.needs in (Needs.MDADM, Needs.FINISH)),
        _power_cut(move, copies=copies),
        _undo(plan, after),
        foreclosed(plan, after),
        read,
        written,
        member_bytes,
        move.takes_backup,
    )


def _power_cut(move: Transition, *, copies: bool) -> Message:
    if copies:
        return say("md copies to the new disk again from the beginning. No data are at stake.")
    if not move.restripes:
        return _AT_ONCE
    return _WITH_BACKUP if move.takes_backup else _PENDING


def _member_bytes(plan: MdArray, after: MdArray) -> int:
    """Return the bytes written to each member afterwards: all data of before, in the new layout."""
    component = 1024 * (plan.component_size_kib or 0)
    try:
        old, new = capacity_of(plan).array_sectors, capacity_of(after).array_sectors
    except InputError:
        return component
    return min(component, component * old // new) if new > old else component


def _undo(plan: MdArray, after: MdArray) -> Message:
    if plan.level is Level.RAID1 and after.level is Level.RAID1:
        return say("The new copy can be removed again at any time.")
    if len(after.members) > len(plan.members) and after.level is plan.level:
        return say(
            "Once it has begun it runs to its end. Afterwards only by shrinking: what is on the array first, which XFS "
            "can't do at all, then the array, with a backup file."
        )
    back = next((rule for rule in possibilities(after) if rule.change == str(plan.level)), None)
    if after.level is not plan.level:
        if back is not None and back.possible and len(back.conditions) == 0:
            return say("{level} can be had back by another change of the level.", level=plan.level)
        if back is not None and back.possible:
            return say(
                "{level} can be had back by another change of the level: {how}",
                level=plan.level,
                how=back.conditions[0].sentence,
            )
        return say("There is no direct change back to {level}.", level=plan.level)
    return say("Another reshape brings the old shape back, as long as this one.")


def content_step(before: MdArray, after: MdArray, content: ArrayContent | None) -> ChangeStep | None:
    """Return the step that grows the content; None if the array didn't grow, or nothing growable is there.

    XFS and btrfs grow mounted alone, and ext4 here as well.
    """
    if content is None or content.kind not in GROWN or not (content.mounted_at or content.kind == "LVM2_member"):
        return None
    sectors = capacity_of(after).array_sectors
    if content.sectors is None and capacity_of(before).array_sectors >= sectors:
        return None
    slack = sectors // 1000 + (2 * _EXTENT_SECTORS if content.kind == "LVM2_member" else 2048)  # LVM has whole extents
    if content.sectors is not None and content.sectors >= sectors - slack:
        return None
    backs = {
        "xfs": say("XFS can't shrink, so from here the array can't either."),
        "btrfs": say("btrfs can shrink while it is mounted."),
        "LVM2_member": say("pvresize shrinks it, as long as no volume uses its end."),
    }
    return ChangeStep(
        ChangeKind.GROW_CONTENT,
        after,
        after,
        survives=survives(after),
        power_cut=say("The file system's journal keeps it whole; it is grown once more if it hasn't grown."),
        way_back=backs.get(content.kind, say("ext4 can shrink while it isn't mounted (resize2fs).")),
    )


def ungrown(content: ArrayContent | None, sectors: int) -> Iterator[Message]:
    """Yield the sentence on content that doesn't grow with its device to ``sectors``."""
    if content is None or not content.kind or (content.sectors or 0) >= sectors - sectors // 1000 - 2048:
        return
    if content.kind == "crypto_LUKS":
        yield say("The encryption on it (LUKS) keeps its size. Afterwards: cryptsetup resize, and then what is inside.")
    elif content.kind == UNKNOWN:
        yield say("What is on it isn't recognised, so it keeps its size.")
    elif content.kind not in GROWN:
        yield say("What is on it ({kind}) keeps its size; its own tools grow it afterwards.", kind=content.kind)
    elif content.kind == "LVM2_member":
        yield say("LVM has the new space then. A volume of it takes some by “lvextend --resizefs”.")
    elif not content.mounted_at:
        yield say(
            "What is on it ({kind}) only grows while it is mounted. Mount it, and ask for this change again.",
            kind=content.kind,
        )
