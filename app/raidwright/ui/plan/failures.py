"""What the failures that were clicked mean, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from PySide6.QtCore import QCoreApplication

from ...core.assessment import Assessment
from ...core.layouts import PARITY_DISKS, Level
from ...core.plan import Member
from ...core.survival import Survival
from ..panel import Tone


@dataclass(frozen=True, slots=True)
class Told:
    """A toned word and a sentence."""

    word: str
    tone: Tone
    sentence: str


def _tr(text: str) -> str:
    return QCoreApplication.translate("Failures", text)


def tell(assessment: Assessment, failed: frozenset[int]) -> Told:
    """What happens when the disks in the ``failed`` slots are gone."""
    survival = assessment.survival
    if not failed:
        return Told(_tr("Healthy"), "good", _tr("Click a disk, or press its digit, to see what its failure would do."))
    names = ", ".join(str(slot) for slot in sorted(failed))
    word = (_tr("Slot {slots} failed") if len(failed) == 1 else _tr("Slots {slots} failed")).format(slots=names)
    units = _units(assessment, failed)
    if not survival.survives(units):
        return Told(word, "bad", _lost(survival.lost_fraction(units)))
    return Told(word, "warn", _tr("Nothing is lost.") + " " + _how_it_reads(assessment, survival, units))


def _units(assessment: Assessment, failed: frozenset[int]) -> frozenset[int]:
    """The failure units of the disks in these slots."""
    place = {unit: number for number, unit in enumerate(assessment.survival.units)}
    members = (assessment.plan.members[slot] for slot in failed)
    return frozenset(place[member.failure_unit] for member in members if isinstance(member, Member))


def _lost(fraction: Fraction) -> str:
    if fraction >= 1:
        return _tr("Everything is lost: the array can't start without these disks. Only a backup brings it back.")
    return _tr("The array stops. {share} of the data has no copy left; crossed chunks are gone.").format(
        share=f"{float(fraction):.0%}" if fraction >= Fraction(1, 100) else _tr("Less than 1%")
    )


def _how_it_reads(assessment: Assessment, survival: Survival, failed: frozenset[int]) -> str:
    level = assessment.plan.level
    fatal = [u for u in range(len(survival.units)) if u not in failed and not survival.survives(failed | {u})]
    if level in PARITY_DISKS:
        how = _tr("What those disks held is computed from the others, which makes reads slower.")
    elif level in (Level.RAID1, Level.RAID10):
        how = _tr("Reads of lost chunks come from their other copies.")
    else:
        how = ""
    if not fatal:
        return how + " " + _tr("Any one more disk may fail.")
    if len(fatal) == len(survival.units) - len(failed):
        return how + " " + _tr("No other disk may fail now.")
    return (
        how
        + " "
        + _tr("Outlined chunks are now the only copy: slot {slots} must not fail.").format(
            slots=_tr(" or ").join(str(unit) for unit in fatal)
        )
    )
