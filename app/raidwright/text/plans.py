"""A plan in words: what people call it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from raidwright.analysis.advice.candidates import Prepared
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Plan
from raidwright.ui.widgets.table import Cell

from .candidates import share

_SHORT = {
    "left-symmetric": "",  # what everybody means
    "left-asymmetric": "la",
    "right-asymmetric": "ra",
    "right-symmetric": "rs",
}


def _tr(text: str) -> str:
    return QCoreApplication.translate("Plan", text)


def short_name(plan: Plan) -> str:
    """“raid10 f2”, “raid50 2 × 4”, “raid5 + 1 spare”."""
    inner = next((member for member in plan.members if isinstance(member, Plan)), None)
    if inner is not None:
        number = "1+0" if inner.level is Level.RAID1 else f"{str(inner.level).removeprefix('raid')}0"
        return f"raid{number} {len(plan.members)} × {len(inner.members)}"
    layout = plan.effective_layout or ""
    name = f"{plan.level} {_SHORT.get(layout, layout)}".strip()
    if plan.spares:
        name += _tr(" + {n} spare").format(n=len(plan.spares))
    return name


def change_words(change: str) -> str:
    """A later change for people; a level is called by its name."""
    words = {
        "more-members": _tr("more disks"),
        "larger-members": _tr("larger disks"),
        "fewer-members": _tr("fewer disks"),
        "chunk": _tr("another chunk"),
        "layout": _tr("another layout"),
    }
    return words.get(change, change)


def listed(changes: Sequence[str]) -> str:
    """Changes as the beginning of a sentence; levels keep their small letters."""
    text = ", ".join(changes)
    return text if text.startswith(("raid", "linear")) else text[:1].upper() + text[1:]


def unbroken(sentence: str) -> str:
    """``sentence`` with its options (“--backup-file”) kept on one line."""
    return sentence.replace("-", "-\N{WORD JOINER}")


def survives(prepared: Prepared) -> Cell:
    """“1 · 4 of 6”: so many always, and how many of the ways in which one more can fail."""
    survived, ways = prepared.assessment.survival.counts(prepared.survives + 1)
    hint = _tr(
        "Disks that may fail, whichever they are: {n}. Of {ways:,} ways to lose one more, {survived:,} are safe."
    )
    return Cell(
        f"{prepared.survives} · {share(survived, ways)}",
        hint=hint.format(n=prepared.survives, ways=ways, survived=survived),
    )
