"""Findings on the consistency of copies and parity: the initial resync, the bitmap, PPL and the journal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import Bitmap, Consistency, Metadata

from .finding import Facts, Finding, PlanChange, Severity, Stake, Verify

_AN_ARRAY = re.compile(r"md(?:\d+|[-_].+)")  # an array as a member's id: md127, md-journ, md-name-nas:journ
_LARGE_COMPONENT_KIB = 100 * 2**20


def verify_bitmap(facts: Facts) -> Iterator[Finding]:
    """Find large arrays without a bitmap, which resync completely."""
    plan = facts.plan
    logged = plan.array.journal is not None or plan.array.consistency is Consistency.PPL
    if (
        plan.array.level.is_redundant
        and plan.array.bitmap is Bitmap.NONE
        and not logged
        and facts.capacity.component_size_kib > _LARGE_COMPONENT_KIB
    ):
        yield Finding(
            Severity.WARNING,
            "no-bitmap",
            say("There is no write-intent bitmap."),
            say("After a crash, or when a disk was away for a minute, all of it is synchronised again: hours to days."),
            say(
                "Set the bitmap to internal. It takes no space from the array; small writes all over it become slower."
            ),
            at_stake=Stake.SPEED,
            change=PlanChange("bitmap", Bitmap.INTERNAL),
        )


def verify_assume_clean(facts: Facts) -> Iterator[Finding]:
    """Find --assume-clean, which leaves copies and parity wrong."""
    plan = facts.plan
    if not plan.array.assume_clean or not plan.array.level.is_redundant:
        return
    parity = plan.array.level.parity_disks
    yield Finding(
        Severity.DANGER if parity else Severity.WARNING,
        "assume-clean",
        say("The first sync is skipped."),
        say("Parity stays wrong where it has never been computed; a disk that fails is then rebuilt from garbage.")
        if parity
        else say("Copies differ wherever nothing was written, so every check reports mismatches."),
        say("Let md synchronise; the array can be used meanwhile. Where disks allow it, --write-zeroes is safe."),
        change=PlanChange("assume_clean", value=False),
    )


def verify_write_hole(facts: Facts) -> Iterator[Finding]:
    """Find parity arrays exposed to the write hole (md(4), "RAID WRITE HOLE")."""
    plan = facts.plan
    if plan.array.level.parity_disks and plan.array.journal is None and plan.array.consistency is not Consistency.PPL:
        yield Finding(
            Severity.NOTE,
            "write-hole",
            say("A power cut while a disk is missing can damage data that nobody was writing (the write hole)."),
            say(
                "Data and parity of a stripe reach the disks at different moments. With all disks there, the resync "
                "after a power cut makes them agree again, but a disk that is missing then is computed from parity "
                "that may be wrong. md doesn't start such an array without being forced."
            ),
            say(
                "Have power that doesn't fail (a UPS) and a backup; or close it by PPL, which makes writes slower, or "
                "by a write journal on a mirror of SSDs. A bitmap only shortens the resync."
            )
            if plan.array.level is Level.RAID5
            else say(
                "Have power that doesn't fail (a UPS) and a backup; or close it by a write journal on a mirror of "
                "SSDs. A bitmap only shortens the resync."
            ),
        )


def verify_journal(facts: Facts) -> Iterator[Finding]:
    """Find a single journal device, whose failure stops all writes."""
    if facts.array.journal is not None and facts.array.metadata is Metadata.V0_90:
        yield Finding(
            Severity.DANGER,
            "journal-metadata",
            say("{id} becomes a spare, not a write journal.", id=facts.array.journal.id),
            say("Metadata 0.90 can't record a journal, and mdadm doesn't say so."),
            say("Take metadata 1.2."),
        )
    journal = facts.array.journal
    if journal is not None and _AN_ARRAY.fullmatch(journal.id):
        yield Finding(
            Severity.NOTE,
            "journal-array",
            say("All writes go through the journal on the array {id}.", id=journal.id),
            say("If that fails, this one turns read-only. An array with a journal can't be reshaped."),
            say("Have it be a mirror of two good SSDs, and mdadm.conf name both, so that it is there first."),
            (journal.failure_unit,),
        )
    elif facts.array.journal is not None:
        yield Finding(
            Severity.WARNING,
            "one-journal",
            say("All writes go through the journal on {id}.", id=facts.array.journal.id),
            say(
                "If it fails, the array turns read-only; in write-back mode, what it alone held is gone. "
                "An array with a journal can't be reshaped."
            ),
            say("Put it on a mirror of two good SSDs."),
            (facts.array.journal.failure_unit,),
        )


CONSISTENCY_CHECKS: tuple[Verify, ...] = (  # of each array
    verify_bitmap,
    verify_assume_clean,
    verify_write_hole,
    verify_journal,
)
