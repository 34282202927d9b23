"""A plan in words: its usual name."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.analysis.advice.candidates import Prepared
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import Plan

from .candidates import share
from .catalogue import ntr, tr, translated, with_commas
from .shown import Cell

_SHORT = {
    "left-symmetric": "",  # the default
    "left-asymmetric": "la",
    "right-asymmetric": "ra",
    "right-symmetric": "rs",
}


def short_name(plan: Plan) -> str:
    """Return “raid10 f2”, “raid50 2 × 4”, “raid5 + 1 spare”."""
    inner = next((member for member in plan.members if isinstance(member, Plan)), None)
    if inner is not None:
        number = "1+0" if inner.level is Level.RAID1 else f"{str(inner.level).removeprefix('raid')}0"
        return f"raid{number} {len(plan.members)} × {len(inner.members)}"
    layout = plan.effective_layout or ""
    name = f"{plan.level} {_SHORT.get(layout, layout)}".strip()
    if plan.spares:
        return ntr("{plan} + {count} spare", "{plan} + {count} spare", len(plan.spares), plan=name)
    return name


_ARRANGEMENTS = {"n": say("near"), "f": say("far"), "o": say("offset")}


def long_name(plan: Plan) -> str:
    """Return “RAID 6”, “RAID 10, far, 3 copies”, “RAID 60, 2 × 12 disks”, “RAID 5 with 1 spare”."""
    inner = next((member for member in plan.members if isinstance(member, Plan)), None)
    if inner is not None:
        number = "1+0" if inner.level is Level.RAID1 else f"{str(inner.level).removeprefix('raid')}0"
        return tr("RAID {number}, {groups} × {disks} disks", number=number, groups=len(plan.members),
                  disks=len(inner.members))  # fmt: skip
    parts = [tr("Linear") if plan.level is Level.LINEAR else f"RAID {str(plan.level).removeprefix('raid')}"]
    copies = len(plan.members) if plan.level is Level.RAID1 else 2
    if plan.level is Level.RAID10:
        copies = plan.copies.total
        parts.append(translated(_ARRANGEMENTS[plan.copies.letter]))
    if copies > 2:
        parts.append(ntr("{count} copy", "{count} copies", copies))
    name = with_commas(*parts)
    if plan.spares:
        return ntr("{plan} with {count} spare", "{plan} with {count} spares", len(plan.spares), plan=name)
    return name


_CHANGES = {
    "more-members": say("more disks"),
    "larger-members": say("larger disks"),
    "fewer-members": say("fewer disks"),
    "chunk": say("another chunk"),
    "layout": say("another layout"),
}


def change_words(change: str) -> str:
    """Return a later change for people; a level by its name."""
    return translated(_CHANGES.get(change, change))


def chunk_words(chunk_kib: int) -> str:
    """Return ``512 KiB``, ``2 MiB``."""
    return tr("{kib} KiB", kib=chunk_kib) if chunk_kib < 1024 else tr("{mib} MiB", mib=chunk_kib // 1024)


def array_name(plan: Plan) -> str:
    """Return “raid5 la ×3, 256 KiB”."""
    name = short_name(plan) if plan.is_nested else tr("{plan} ×{count}", plan=short_name(plan), count=len(plan.members))
    if plan.effective_chunk_kib:
        name = tr("{plan}, {chunk}", plan=name, chunk=chunk_words(plan.effective_chunk_kib))
    if plan.bitmap_chunk_kib:
        name = tr("{plan}, bitmap of {chunk}", plan=name, chunk=chunk_words(plan.bitmap_chunk_kib))
    return name


def listed(changes: Sequence[str]) -> str:
    """Return changes as the beginning of a sentence; levels stay lower case."""
    text = with_commas(*changes)
    return text if text.startswith(("raid", "linear")) else text[:1].upper() + text[1:]


def unbroken(sentence: str) -> str:
    """Return ``sentence`` with its options (“--backup-file”) kept on one line."""
    return sentence.replace("-", "-\N{WORD JOINER}")


def survives(prepared: Prepared) -> Cell:
    """Return “any 1; 4 of 6 pairs”: the failures always survived, and the share of survived further ones."""
    survived, ways = prepared.assessment.survival.counts(prepared.survives + 1)
    hint = tr(
        "Disks that may fail, whichever they are: {n}. Of {ways:,} ways to lose one more, {survived:,} are safe.",
        n=prepared.survives,
        ways=ways,
        survived=survived,
    )
    surely = tr("any {count}", count=prepared.survives) if prepared.survives > 0 else tr("none")
    if not survived:
        return Cell(surely, hint=hint)
    some = share(survived, ways)
    more = tr("{share} pairs", share=some) if prepared.survives == 1 and "%" not in some else some
    return Cell(f"{surely}; {more}", hint=hint)
