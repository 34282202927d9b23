"""Findings on flags of a plan's members and on its name: write-mostly, failfast, home host.

Sources: md(4), "WRITE-BEHIND" and "FAILFAST"; mdadm(8), --write-mostly, --failfast, --homehost.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import Bitmap, Member

from .finding import Facts, Finding, Severity, Stake, Verify


def verify_write_mostly(facts: Facts) -> Iterator[Finding]:
    """Find write-mostly members outside of raid1, or on all of its members, where it has no effect."""
    members = [member for member in facts.array.members if isinstance(member, Member)]
    marked = [member for member in members if member.write_mostly]
    ids = tuple(member.failure_unit for member in marked)
    if marked and facts.array.level is not Level.RAID1:
        yield Finding(
            Severity.WARNING,
            "write-mostly-unused",
            say("Write-mostly means nothing on {level}.", level=facts.array.level),
            say(
                "md keeps the mark, and reads from the disk like from any other: only raid1 has whole copies elsewhere."
            ),
            say("Leave it out."),
            ids,
            at_stake=Stake.SPEED,
        )
    elif marked and len(marked) == len(members):
        yield Finding(
            Severity.NOTE,
            "write-mostly-all",
            say("All members are write-mostly, so all are read from."),
            say("md reads from a write-mostly member when there is no other."),
            say("Leave it out, or mark the slower ones alone."),
            ids,
            at_stake=Stake.SPEED,
        )


def verify_failfast(facts: Facts) -> Iterator[Finding]:
    """Find misuses of failfast: it is for raid1 and raid10, drops a member at the first error, and needs a bitmap."""
    plan = facts.plan
    marked = [disk for disk in (*plan.array.members, *plan.array.spares) if isinstance(disk, Member) and disk.failfast]
    ids = tuple(disk.failure_unit for disk in marked)
    if marked and plan.array.level not in (Level.RAID1, Level.RAID10):
        yield Finding(
            Severity.WARNING,
            "failfast-unused",
            say("Failfast means nothing on {level}.", level=plan.array.level),
            say("md keeps the mark and waits for the disk as for any other; raid1 and raid10 alone heed it."),
            say("Leave it out."),
            ids,
            at_stake=Stake.SPEED,
        )
    elif marked:
        is_bare = plan.array.bitmap is Bitmap.NONE
        yield Finding(
            Severity.WARNING if is_bare else Severity.NOTE,
            "failfast",
            say("A failfast disk is out of the array at its first error."),
            say(
                "md doesn't retry, and doesn't mend a bad sector from the other copy. mdadm takes the disk back only "
                "when it is told to; with a bitmap that is quick, without one all of it is synchronised."
            ),
            say("Set a bitmap, or leave failfast to storage behind a network that now and then doesn't answer.")
            if is_bare
            else say("Leave it to storage behind a network that now and then doesn't answer, and see to --re-add."),
            ids,
        )


def verify_homehost(facts: Facts) -> Iterator[Finding]:
    """Find a home host other than this computer, where the array gets another name."""
    plan = facts.plan
    if plan.homehost and plan.homehost != "any":
        yield Finding(
            Severity.NOTE,
            "homehost",
            say("The array belongs to the computer “{homehost}”.", homehost=plan.homehost),
            say(
                "On any other that mdadm.conf doesn't tell of it, it comes up as /dev/md/{name}_0 or the like.",
                name=plan.name,
            ),
            say("Have mdadm.conf name it, or leave the home host out: then it is the computer's that makes it."),
            at_stake=Stake.ACCESS,
        )


FLAG_CHECKS: tuple[Verify, ...] = (verify_write_mostly, verify_failfast, verify_homehost)  # of each array
