"""The consequences of the simulated failures, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.layers.leaves import leaves
from raidwright.analysis.layers.survival import lost_fraction
from raidwright.core.md.survival import Survival
from raidwright.core.model.plan import LinearVolume, MdArray
from raidwright.text.catalogue import joined, ntr, number, tr, with_commas
from raidwright.text.plan.joined import lost_without
from raidwright.text.plan.survival import further_failures
from raidwright.text.shown import Tone


@dataclass(frozen=True, slots=True)
class TonedSentence:
    """A toned word and a sentence."""

    word: str
    tone: Tone
    sentence: str


def tell(assessment: Assessment, failed: frozenset[int]) -> TonedSentence:
    """Return the consequences of losing the disks in the ``failed`` columns of the stage."""
    survival = assessment.survival
    top = assessment.plan.top
    if not failed and isinstance(top, MdArray) and None in top.members:
        word, how = tr("Degraded"), tr("Slots are left empty, so the array starts without them.")
        return TonedSentence(word, "warn", joined(how, _what_next(assessment, survival, frozenset())))
    if not failed and isinstance(top, LinearVolume):
        return TonedSentence(tr("Healthy"), "good", tr("Click a disk: it is lost to every array that it is in."))
    if not failed:
        return TonedSentence(
            tr("Healthy"), "good", tr("Click a disk, or press its digit, to see what its failure would do.")
        )
    slots = [slot for slot, _disk in leaves(assessment.plan.top)]
    names = [slots[column] for column in sorted(failed)]
    word = ntr("Slot {slots} failed", "Slots {slots} failed", len(failed), slots=names)
    units = _units(assessment, failed)
    if isinstance(top, LinearVolume):
        return _joined(assessment, names, units)
    if not survival.survives(units):
        return TonedSentence(word, "bad", _lost(lost_fraction(top, {survival.units[unit] for unit in units})))
    return TonedSentence(word, "warn", joined(tr("Nothing is lost."), _how_it_reads(assessment, survival, units)))


def _joined(assessment: Assessment, names: list[str], units: frozenset[int]) -> TonedSentence:
    """Return the consequences in a joined plan: a disk is lost to all its arrays at once."""
    word = ntr("Disk {disks} failed", "Disks {disks} failed", len(names), disks=names)
    lost = lost_without(assessment, [assessment.survival.units[unit] for unit in units])
    if lost:
        return TonedSentence(word, "bad", lost)
    return TonedSentence(
        word, "warn", joined(tr("Nothing is lost."), _how_it_reads(assessment, assessment.survival, units))
    )


def runs(assessment: Assessment, failed: frozenset[int]) -> bool:
    """Return True if the array works without the disks in these columns."""
    return assessment.survival.survives(_units(assessment, failed))


def _units(assessment: Assessment, failed: frozenset[int]) -> frozenset[int]:
    """Return the failure units of the disks in these columns."""
    place = {unit: number for number, unit in enumerate(assessment.survival.units)}
    disks = [disk for _slot, disk in leaves(assessment.plan.top)]
    return frozenset(place[disk.failure_unit] for column in failed if (disk := disks[column]) is not None)


def _lost(fraction: Fraction) -> str:
    if fraction >= 1:
        return tr("Everything is lost: the array can't start without these disks. Only a backup brings it back.")
    return tr(
        "The array stops. {share} of the data can be read from nowhere any more; crossed chunks are lost.",
        share=number(float(fraction), ".0%") if fraction >= Fraction(1, 100) else tr("Less than 1%"),
    )


def _how_it_reads(assessment: Assessment, survival: Survival, failed: frozenset[int]) -> str:
    plan = assessment.plan
    levels = {array.level for array in plan.top.md_arrays()}
    if any(level.parity_disks for level in levels):
        how = tr("What was there is computed from the other disks, which makes reads slower.")
    else:
        how = tr("Reads of lost chunks come from their other copies.")
    return joined(how, _what_next(assessment, survival, failed))


def _what_next(assessment: Assessment, survival: Survival, failed: frozenset[int]) -> str:
    left = [unit for unit in range(len(survival.units)) if unit not in failed]
    fatal = [unit for unit in left if not survival.survives(failed | {unit})]
    if not fatal:
        return further_failures(1, has_lost=True)
    if len(fatal) == len(left):
        return tr("No other disk may fail now.")
    slots = {disk.failure_unit: slot for slot, disk in leaves(assessment.plan.top) if disk is not None}
    names = [slots.get(survival.units[unit], "?") for unit in fatal]
    if assessment.plan.volume:
        return tr("Of the others, disk {disks} must not fail now.", disks=_either(names) if len(names) < 4 else names)
    return tr(
        "Outlined chunks are now the only copy: slot {slots} must not fail.",
        slots=_either(names) if len(names) < 4 else with_commas(*names),
    )


def _either(names: list[str]) -> str:
    """Return ``0 or 1 or 2``: alternatives, so they have no comma."""
    first, *others = names
    for other in others:
        first = tr("{first} or {last}", first=first, last=other)
    return first
