"""Findings on speed from the disks' baselines: a slow disk, a narrow link, a stripe too wide for full-stripe writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from raidwright.analysis.performance.ceilings import ceilings_of
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say, say_count
from raidwright.core.model.plan import Member

from .finding import Facts, Finding, PlanChange, Severity, Stake, Verify

_SLOWER = 0.8  # of the next slowest: disks of one kind differ by less
_TOO_NARROW = 0.9
_ONE_WRITE_BYTES = 8 * 2**20  # maximum in flight of programs using direct I/O

_AHEAD_CHUNKS = 4  # per member, in two windows of read-ahead, of two stripes each
_STRIPE_CACHE_KIB = 256 * 4  # per member, md's default
LARGER_CACHE_PAGES = 4096


def verify_slow_member(facts: Facts) -> Iterator[Finding]:
    """Find a disk whose sequential rate is below all others', where md waits for each."""
    rated = sorted(
        ((rate, member) for member in _members(facts) if (rate := _read_mb_s(member))), key=lambda rated: rated[0]
    )
    levels = {array.level for array in facts.plan.top.md_arrays()}
    if len(rated) < 2 or levels == {Level.LINEAR}:
        return
    waits = (
        say("A write to a mirror is done when its last disk is, so all disks are written at the slowest one's pace.")
        if levels == {Level.RAID1}
        else say("A stripe is read and written when its last chunk is, so all disks go at the slowest one's pace.")
    )
    (slowest, member), (next_slowest, _) = rated[0], rated[1]
    if slowest < _SLOWER * next_slowest:
        yield Finding(
            Severity.WARNING,
            "slow-member",
            say(
                "{disk} streams {slowest:.0f} MB/s, and every other disk at least {others:.0f}.",
                disk=facts.named((member.failure_unit,)),
                slowest=slowest,
                others=next_slowest,
            ),
            waits,
            say("Look at its health, its cable and its port; or replace it."),
            (member.failure_unit,),
            at_stake=Stake.SPEED,
        )


def verify_narrow_link(facts: Facts) -> Iterator[Finding]:
    """Find links whose bandwidth is below their disks' total."""
    ceilings = ceilings_of(facts.plan)
    sharing: defaultdict[str, list[Member]] = defaultdict(list)
    for member in _members(facts):
        if member.baseline and member.baseline.link and ceilings.get(member.baseline.link):
            sharing[member.baseline.link].append(member)
    for link, members in sharing.items():
        together = sum(_read_mb_s(member) for member in members)
        if ceilings[link] < _TOO_NARROW * together:
            yield Finding(
                Severity.WARNING,
                "narrow-link",
                say_count(
                    "The link {link} passes {ceiling:.0f} MB/s, and its disk streams {together:.0f} MB/s.",
                    "The link {link} passes {ceiling:.0f} MB/s, and its {count} disks stream {together:.0f} MB/s.",
                    len(members),
                    link=link,
                    ceiling=ceilings[link],
                    together=together,
                ),
                say("Reading, writing and rebuilding go no faster than it, and disks on other links wait for these."),
                say("Spread the disks over more links, or take a faster one."),
                tuple(dict.fromkeys(member.failure_unit for member in members)),
                at_stake=Stake.SPEED,
            )


def verify_stripe(facts: Facts) -> Iterator[Finding]:
    """Find parity over a stripe so wide that programs seldom write a full one."""
    plan = facts.plan
    data = len(plan.array.members) - plan.array.level.parity_disks
    stripe_bytes = data * plan.array.effective_chunk_kib * 1024
    if plan.array.level.parity_disks and stripe_bytes > _ONE_WRITE_BYTES:
        yield Finding(
            Severity.NOTE,
            "wide-stripe",
            say("A whole stripe holds {stripe_bytes:binary} of data.", stripe_bytes=stripe_bytes),
            say(
                "What is written in smaller parts makes md read old data or the rest of the stripe first. "
                "The page cache gathers whole stripes; programs that write past it don't."
            ),
            say(
                "Take a smaller chunk, or arrays of fewer disks: {data} chunks should come to {most_bytes:binary} "
                "at most.",
                data=data,
                most_bytes=_ONE_WRITE_BYTES,
            ),
            at_stake=Stake.SPEED,
        )


def verify_stripe_cache(facts: Facts) -> Iterator[Finding]:
    """Find parity chunks so large that read-ahead exceeds a degraded array's stripe cache (``stripes.read_singly``).

    Only for chunks that the user chose; mdadm's default is covered by the degraded prediction of every plan.
    """
    plan = facts.plan
    chunks_kib = _AHEAD_CHUNKS * plan.array.effective_chunk_kib
    if plan.array.level.parity_disks and plan.array.chunk_kib and chunks_kib >= _STRIPE_CACHE_KIB:
        yield Finding(
            Severity.NOTE,
            "stripe-cache",
            say(
                "With a disk lost, files are read at a fraction of the speed: chunks of {chunk:binary} are too large "
                "for md's stripe cache.",
                chunk=plan.array.effective_chunk_kib * 1024,
            ),
            say(
                "A degraded array reads everything through that cache. It holds {held:binary} of each disk, and "
                "read-ahead asks for {ahead:binary}. Measured on Linux 6.1, chunks of 256 KiB leave about a third of "
                "the speed of disks that turn, and chunks of 512 KiB a tenth, also of flash; a larger cache gives it "
                "back.",
                ahead=chunks_kib * 1024,
                held=_STRIPE_CACHE_KIB * 1024,
            ),
            say(
                "Take chunks of {chunk_kib} KiB or less; or once it is built, a stripe cache of {pages} pages, which "
                "takes {pages} × 4 KiB of memory for each disk.",
                chunk_kib=_STRIPE_CACHE_KIB // _AHEAD_CHUNKS // 2,
                pages=LARGER_CACHE_PAGES,
            ),
            at_stake=Stake.SPEED,
            change=PlanChange("chunk_kib", _STRIPE_CACHE_KIB // _AHEAD_CHUNKS // 2),
        )


def _members(facts: Facts) -> Iterator[Member]:
    aside = {disk for array in facts.plan.top.md_arrays() for disk in (*array.spares, array.journal)}
    return (member for member in facts.plan.disks() if member not in aside)


def _read_mb_s(member: Member) -> float:
    return (member.baseline.sequential_read_mb_s if member.baseline else None) or 0.0


SPEED_CHECKS: tuple[Verify, ...] = (verify_slow_member, verify_narrow_link)
STRIPE_CHECKS: tuple[Verify, ...] = (verify_stripe, verify_stripe_cache)  # of each array
