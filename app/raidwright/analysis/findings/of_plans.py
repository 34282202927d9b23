"""Findings on the plan itself: consequences of its level, layout, sizes and options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from raidwright.core.md.layouts import WIDEST_PARITY, Level
from raidwright.core.md.mdadm_versions import MDADM_4_4
from raidwright.core.md.needs import needs_of
from raidwright.core.md.superblock import SUPERBLOCK_AT, superblock_at
from raidwright.core.messages import say
from raidwright.core.model.plan import Layer, LinearVolume, MdArray, Member, Metadata

from .finding import Facts, Finding, PlanChange, Severity, Stake, Verify

_LARGE_DISK_BYTES = 2 * 10**12
_SLACK_SECTORS = 100 * 2048


def verify_redundancy(facts: Facts) -> Iterator[Finding]:
    """Find disks without redundancy in any of their arrays: raid0 and linear lose everything with one of them."""
    plan = facts.plan
    alone = tuple(dict.fromkeys(disk.failure_unit for disk in _unprotected(plan.top)))
    if alone:
        yield Finding(
            Severity.DANGER,
            "no-redundancy",
            say("If {disk} fails, the array is lost.", disk=facts.named(alone))
            if len(alone) == 1
            else say("If any one of {members} disks fails, the array is lost.", members=len(alone))
            if len(alone) < len(tuple(plan.disks()))
            else say("If any one of the {members} disks fails, the array is lost.", members=len(alone)),
            say("{level} spreads the data and keeps no copy and no parity.", level=facts.array.level),
            say("Use it for what you can make again, or take raid1, raid10, raid5 or raid6."),
            alone if len(alone) < len(tuple(plan.disks())) else (),
        )


def _unprotected(layer: Layer) -> Iterator[Member]:
    """Yield the disks whose single failure loses the layer's data."""
    if isinstance(layer, LinearVolume) or not layer.level.is_redundant:
        for member in layer.inner if isinstance(layer, LinearVolume) else layer.members:
            if isinstance(member, MdArray):
                yield from _unprotected(member)
            elif member is not None:
                yield member


def verify_shared_disks(facts: Facts) -> Iterator[Finding]:
    """Find members of one array on the same disk, which fail together; nested arrays are on all their disks."""
    array = facts.plan
    units = Counter(unit for member in array.array.members for unit in _units(member))
    shared = tuple(unit for unit, count in units.items() if count > 1)
    if shared and array.array.level.is_redundant:
        yield Finding(
            Severity.DANGER,
            "members-share-disk",
            say("Several members of one {level} are slices of {shared}.", level=array.array.level, shared=shared[0]),
            say("They fail together, and everything that is written goes to the same disk twice."),
            say("Put the members of each array on different disks."),
            shared,
        )


def _units(member: Member | MdArray | None) -> set[str]:
    if isinstance(member, MdArray):
        return {disk.failure_unit for disk in member.disks()}
    return {member.failure_unit} if member is not None else set()


def verify_missing(facts: Facts) -> Iterator[Finding]:
    """Find plans with missing members, which start degraded."""
    missing, count = facts.array.members.count(None), len(facts.array.members)
    if missing:
        yield Finding(
            Severity.WARNING,
            "degraded-start",
            say(
                "{array}, one of the arrays within, starts degraded: {missing} of its {count} members are missing.",
                array=facts.name,
                missing=missing,
                count=count,
            )
            if facts.name
            else say(
                "The array starts degraded: {missing} of its {count} members are missing.",
                missing=missing,
                count=count,
            ),
            say("It has less redundancy than its level says, until the slots are filled and rebuilt."),
            say("Add the disks soon: mdadm /dev/md/… --add DISK."),
        )


def verify_kernels_linear(facts: Facts) -> Iterator[Finding]:
    """Find linear on kernels without it: removed in 6.8 (commit 849d18e27be9), restored in 6.14 (127186cfb184)."""
    if facts.array.level is Level.LINEAR:
        yield Finding(
            Severity.WARNING,
            "linear-kernels",
            say("Linux 6.8 to 6.13 can't run a linear array."),
            say("md had no linear in those versions. Debian 13 has 6.12: building it fails there."),
            say(
                "Take raid0, which uses disks of different sizes whole as well, or look at the kernel first (uname -r)."
            ),
        )


def verify_one_member(facts: Facts) -> Iterator[Finding]:
    """Find arrays of a single member."""
    if len(facts.array.members) == 1:
        yield Finding(
            Severity.WARNING,
            "one-member",
            say("{array}, one of the arrays within, has one member.", array=facts.name)
            if facts.name
            else say("The array has one member."),
            say("It protects from nothing yet; mdadm takes it for a mistake unless it is forced."),
            say("Add a second disk, or plan two members with one missing."),
        )


def verify_chunk(facts: Facts) -> Iterator[Finding]:
    """Find chunk sizes that suit few workloads."""
    chunk_kib = facts.array.effective_chunk_kib
    if not chunk_kib:
        return
    if chunk_kib & (chunk_kib - 1):
        yield Finding(
            Severity.NOTE,
            "chunk-odd",
            say("The chunk of {chunk_kib} KiB is no power of two.", chunk_kib=chunk_kib),
            say("md takes it, but loses a little space to it, and file systems can't align to it."),
            say("Take a power of two, like 512 KiB."),
            at_stake=Stake.SPACE,
            change=PlanChange("chunk_kib", 512),
        )
    if chunk_kib < 64:
        yield Finding(
            Severity.WARNING,
            "chunk-small",
            say("The chunk of {chunk_kib} KiB is small.", chunk_kib=chunk_kib),
            say("A read of more than that moves the heads of several disks, where one could have answered alone."),
            say("Take 64 KiB to 512 KiB unless a measurement says otherwise."),
            at_stake=Stake.SPEED,
            change=PlanChange("chunk_kib", 64),
        )
    if chunk_kib > 2048:
        yield Finding(
            Severity.NOTE,
            "chunk-large",
            say("The chunk of {chunk_kib} KiB is large.", chunk_kib=chunk_kib),
            say("One stream stays on one disk for long; it takes much read-ahead to keep the others busy."),
            say("Take up to 512 KiB unless a measurement says otherwise."),
            at_stake=Stake.SPEED,
            change=PlanChange("chunk_kib", 512),
        )


def verify_odd_count(facts: Facts) -> Iterator[Finding]:
    """Find raid10 on a number of disks that isn't a multiple of the copies."""
    plan = facts.plan
    if plan.array.level is not Level.RAID10:
        return
    copies, members = plan.array.copies.total, len(plan.array.members)
    if members % copies:
        yield Finding(
            Severity.NOTE,
            "odd-count",
            say(
                "{members} disks hold {copies} copies of everything: {worth:.3g} disks' worth of space.",
                members=members,
                copies=copies,
                worth=members / copies,
            ),
            say(
                "md allows it, though many tools deny it. Neighbours share copies all around, so more pairs of "
                "failures are fatal than with separate pairs."
            ),
            say("Nothing to do; one more disk would let near copies sit in pairs."),
            at_stake=Stake.LATER,
        )


def verify_single_parity(facts: Facts) -> Iterator[Finding]:
    """Find raid4 and raid5 with large disks, nested ones included, and raid4's dedicated parity disk."""
    plan = facts.plan
    single = [array for array in plan.top.md_arrays() if array.level.parity_disks == 1 and len(array.members) > 2]
    members = [member for array in single for member in array.disks()]
    if any(member.size_bytes > _LARGE_DISK_BYTES for member in members):
        largest_bytes = max(member.disk_size_bytes or member.size_bytes for member in members)
        yield Finding(
            Severity.WARNING,
            "single-parity",
            say(
                "While a disk of {largest_bytes:size} is rebuilt, nothing protects the array.",
                largest_bytes=largest_bytes,
            ),
            say(
                "A rebuild reads every other disk from end to end, for hours; a second failure or an unreadable sector "
                "in that time loses data."
            ),
            say("Take raid6 or raid10, or keep a good backup."),
        )
    if any(array.level is Level.RAID4 for array in plan.top.md_arrays()):
        yield Finding(
            Severity.NOTE,
            "parity-disk",
            say("All parity is on the last disk."),
            say("Every write waits for that disk, and reads use it only once another is lost."),
            say("raid5 does the same with the work spread over all disks."),
            at_stake=Stake.SPEED,
        )


def verify_width(facts: Facts) -> Iterator[Finding]:
    """Find parity over more disks than storage vendors advise."""
    widest = max((len(array.members) for array in facts.plan.top.md_arrays() if array.level.parity_disks), default=0)
    if widest > WIDEST_PARITY:
        yield Finding(
            Severity.WARNING,
            "wide-parity",
            say(
                "{widest} disks in one array with parity; makers of storage advise {most} at most.",
                widest=widest,
                most=WIDEST_PARITY,
            ),
            say(
                "A rebuild reads all the others from end to end and is as slow as the slowest of them, and the more "
                "there are, the likelier is the next failure."
            ),
            say("Make several groups and a stripe over them (raid60)."),
        )


def verify_boot(facts: Facts) -> Iterator[Finding]:
    """Find mirrors with metadata at the beginning, which can't be read as a plain disk."""
    if facts.array.level is Level.RAID1 and not facts.array.is_nested and facts.array.metadata in SUPERBLOCK_AT:
        yield Finding(
            Severity.NOTE,
            "boot-metadata",
            say("Metadata {metadata} stands at the start of each disk.", metadata=facts.array.metadata),
            say("Firmware, and boot loaders that don't know md, can't read such a member as a plain disk."),
            say("To boot from it, let GRUB read md, or take metadata 1.0 for a small boot or EFI mirror."),
            at_stake=Stake.ACCESS,
        )


def verify_old_metadata(facts: Facts) -> Iterator[Finding]:
    """Find metadata 0.90 (``md(4)``): it is near the end, and doesn't record where its device begins."""
    if facts.array.metadata is Metadata.V0_90:
        yield Finding(
            Severity.WARNING,
            "old-metadata",
            say("Metadata 0.90 is the format of the 1990s."),
            say(
                "It can't tell a whole disk from a partition that ends where the disk does, keeps no name, and takes "
                "28 devices and 4 TiB of each at most."
            ),
            say("Take 1.2, or 1.0 where the superblock has to stand at the end."),
            at_stake=Stake.ACCESS,
        )


def verify_final(facts: Facts) -> Iterator[Finding]:
    """Find far layouts, which can't be changed later."""
    plan = facts.plan
    if plan.array.level is Level.RAID10:
        copies = plan.array.copies
        if copies.far > 1 and not copies.offset:
            yield Finding(
                Severity.WARNING,
                "final",
                say("A far layout is final: it can't be grown, shrunk or changed later."),
                say("md reshapes near and offset layouts, but neither to nor from far."),
                say("If you may add disks, take near or offset."),
                at_stake=Stake.LATER,
            )


def verify_slack(facts: Facts) -> Iterator[Finding]:
    """Find whole disks used to their end, which a slightly smaller replacement can't replace."""
    needed = facts.capacity.smallest_replacement_sectors
    members = [member for member in facts.array.members if isinstance(member, Member)]
    if needed is None or not members or any(member.disk for member in members):
        return
    slack = min(member.sectors for member in members) - needed
    if slack < _SLACK_SECTORS:
        yield Finding(
            Severity.NOTE,
            "no-slack",
            say("A replacement may be smaller by {slack_bytes:size} and no more.", slack_bytes=slack * 512)
            if slack > 0
            else say("A replacement must not be smaller than the smallest disk is now."),
            say("Disks sold with the same size can differ by a few megabytes, and md takes none that is too short."),
            say("Give a size a little smaller, or use partitions that end 100 MB before the disk does."),
            at_stake=Stake.LATER,
        )


def verify_data_offset(facts: Facts) -> Iterator[Finding]:
    """Find data offsets that move raid0 or linear data over a superblock at the end, unnoticed by mdadm and kernel."""
    plan, offset = facts.plan, (facts.array.data_offset_kib or 0) * 2
    if not offset or plan.array.metadata is not Metadata.V1_0:
        return
    used = zip(_sizes(facts), facts.capacity.member_sectors, strict=True)
    if any(size is not None and offset + sectors > superblock_at(plan.array.metadata, size) for size, sectors in used):
        yield Finding(
            Severity.DANGER,
            "data-offset-overlap",
            say(
                "With a data offset of {data_offset_kib} KiB the data runs over md's superblock.",
                data_offset_kib=plan.array.data_offset_kib,
            ),
            say("Nothing checks this on a raid0 or linear; each would overwrite the other."),
            say("Leave the data offset out, or take metadata 1.2."),
        )


def _sizes(facts: Facts) -> Iterator[int | None]:
    """Yield the members' sectors, in slot order; None for a missing one."""
    inner = iter(facts.capacity.inner)
    for member in facts.array.members:
        if isinstance(member, MdArray):
            yield next(inner).array_sectors
        else:
            yield member.sectors if member is not None else None


def verify_needs(facts: Facts) -> Iterator[Finding]:
    """Find features that older kernels and mdadm can't start, above all those of rescue disks."""
    for need in needs_of(facts.plan.top):
        is_new = need.mdadm is not None and need.mdadm > MDADM_4_4  # which no Debian has yet
        yield Finding(
            Severity.WARNING if is_new else Severity.NOTE,
            "least-kernel",
            say(
                "{what} needs Linux {kernel} and mdadm {mdadm} or later.",
                what=need.what,
                kernel=need.kernel_text,
                mdadm=str(need.mdadm),
            )
            if is_new
            else say("{what} needs Linux {kernel} or later.", what=need.what, kernel=need.kernel_text),
            say("An older kernel, such as a rescue disk's, doesn't start the array; nothing on it is harmed by that."),
            say("mdadm calls it experimental. Keep a rescue disk that is new enough, or take an internal bitmap.")
            if is_new
            else say("Keep a rescue disk that is new enough."),
            at_stake=Stake.ACCESS,
        )


PLAN_CHECKS: tuple[Verify, ...] = (verify_redundancy, verify_single_parity, verify_width, verify_boot, verify_needs)
ARRAY_CHECKS: tuple[Verify, ...] = (
    verify_shared_disks,
    verify_missing,
    verify_kernels_linear,
    verify_one_member,
    verify_chunk,
    verify_odd_count,
    verify_old_metadata,
    verify_final,
    verify_slack,
    verify_data_offset,
)
