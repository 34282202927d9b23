"""The judgement of an array that exists, in words: a verdict, what was looked at, and what to do first."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from raidwright.analysis.advice.figures import LOSS_YEARS
from raidwright.analysis.advice.shapes import ShapeFigures
from raidwright.analysis.assessment import Assessment
from raidwright.analysis.findings.finding import Finding, Severity
from raidwright.analysis.judgement import Topic, by_topic, gravest
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Bitmap, Consistency, Plan
from raidwright.core.protocol.facts import AlertFacts, Check, CheckState
from raidwright.machine.states.volume import State, Volume
from raidwright.operations.kept_runs import LastMeasured
from raidwright.text.alerts import alert_line, trouble
from raidwright.text.catalogue import joined, ntr, tr, translated
from raidwright.text.plan.loss import chance_in_words
from raidwright.text.plan.names import array_name
from raidwright.text.plan.survival import in_words, survival_sentence
from raidwright.text.shown import Tone
from raidwright.text.times import day

from .checks import check_words
from .condition import is_degraded
from .measured_speed import is_held_back, measured_words
from .states import state_line

TITLES = {
    Topic.LAYOUT: say("Layout"),
    Topic.SAFETY: say("Safety"),
    Topic.DISKS: say("Disks"),
    Topic.RETRIES: say("Retries"),
    Topic.ALIGNMENT: say("Alignment"),
    Topic.CHECKS: say("Checks"),
    Topic.POWER_CUT: say("After a power cut"),
    Topic.SPEED: say("Speed"),
    Topic.TOLD: say("Told"),
}
_TONES: Mapping[Severity, Tone] = {Severity.DANGER: "bad", Severity.WARNING: "warn", Severity.NOTE: "good"}
_STALE_DAYS, _DAY_S = 100, 86_400
_BOUNDARY_SECTORS = 8  # 4 KiB


class Remedy(StrEnum):
    """Actions behind the rows' buttons."""

    NONE = ""
    REPLACE = "replace"
    SAFER = "safer"
    BITMAP = "bitmap"
    CHECK = "check"
    MEASURE = "measure"
    ALERTS = "alerts"
    RETRIES = "retries"


_BUTTONS = {
    Remedy.REPLACE: say("Replace …"),
    Remedy.SAFER: say("Make it safer …"),
    Remedy.BITMAP: say("Keep a bitmap …"),
    Remedy.CHECK: say("Check now"),
    Remedy.MEASURE: say("Measure"),
    Remedy.ALERTS: say("Set it up …"),
    Remedy.RETRIES: say("Set 7 s at every start"),
}
_FIRST = {
    Remedy.REPLACE: say("replace the disk"),
    Remedy.SAFER: say("make it safer"),
    Remedy.BITMAP: say("keep a bitmap"),
    Remedy.CHECK: say("check it"),
    Remedy.MEASURE: say("measure it"),
    Remedy.ALERTS: say("have somebody told"),
    Remedy.RETRIES: say("shorten the retries"),
}
_BY_CODE = {
    "no-redundancy": Remedy.SAFER,
    "single-parity": Remedy.SAFER,
    "wide-parity": Remedy.SAFER,
    "no-bitmap": Remedy.BITMAP,
    "no-erc": Remedy.RETRIES,
    **dict.fromkeys(("disk-failing", "disk-unreliable", "prefail-now", "bad-sectors", "worn-out"), Remedy.REPLACE),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """The facts that a judgement uses: the array, its assessment and figures, its disks, and what is known besides."""

    array: State
    assessment: Assessment
    figures: ShapeFigures
    disks: Mapping[str, Disk]
    check: Check | None = None
    measured: LastMeasured | None = None
    alerts: AlertFacts | None = None

    @property
    def plan(self) -> Plan:
        """The array as a plan."""
        return self.assessment.plan


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A row: its topic, its tone (info: nothing is known), its sentences, what can be done, and its findings."""

    topic: Topic
    tone: Tone
    sentences: tuple[str, ...]
    remedy: Remedy = Remedy.NONE
    findings: tuple[Finding, ...] = ()

    @property
    def title(self) -> str:
        """The topic's name."""
        return translated(TITLES[self.topic])

    @property
    def button(self) -> str:
        """The words on its button; "" without one."""
        return translated(_BUTTONS[self.remedy]) if self.remedy else ""


def judged_rows(judged: Judged) -> tuple[JudgedRow, ...]:
    """Return a row for each topic; each finding of the assessment is in one of them."""
    found = by_topic(judged.assessment.findings)
    own = {row.topic: row for row in _own_rows(judged)}
    return tuple(_with_findings(own[topic], found[topic], judged) for topic in Topic)


def _with_findings(row: JudgedRow, findings: Sequence[Finding], judged: Judged) -> JudgedRow:
    grave = gravest(findings)
    if grave is None:
        return row
    tone = _graver(row.tone, _TONES[grave])
    graves = [one for one in findings if one.severity is not Severity.NOTE]
    remedies = (_BY_CODE.get(one.code, Remedy.NONE) for one in graves)
    remedy = row.remedy or next(filter(None, remedies), Remedy.NONE)
    is_doable = judged.array.running and not (isinstance(judged.array, Volume) and remedy in _OF_ONE_ARRAY)
    remedy = remedy if is_doable else Remedy.NONE
    said = [joined(translated(one.sentence), "" if remedy else translated(one.remedy)) for one in graves]
    said += [translated(one.sentence) for one in findings if one.severity is Severity.NOTE]
    kept = row.sentences if not graves or row.topic in (Topic.SAFETY, Topic.SPEED) else ()
    if row.topic is Topic.LAYOUT:
        kept = (tr("{shape}.", shape=array_name(judged.plan.top)),)
    return JudgedRow(row.topic, tone, (*kept, *said), remedy, tuple(findings))


def _graver(one: Tone, other: Tone) -> Tone:
    order: tuple[Tone, ...] = ("bad", "warn", "good", "info")
    return min(one, other, key=order.index)


def _own_rows(judged: Judged) -> Iterator[JudgedRow]:
    """Yield what is said of each topic where there is no finding."""
    yield JudgedRow(
        Topic.LAYOUT, "good", (tr("{shape}: nothing speaks against it.", shape=array_name(judged.plan.top)),)
    )
    yield _safety(judged)
    yield _health(judged)
    yield JudgedRow(Topic.RETRIES, "good", (tr("No disk is known to retry for longer than the kernel waits."),))
    yield _alignment(judged)
    yield _checks(judged)
    yield _power_cut(judged)
    yield _speed(judged)
    yield _told(judged.alerts)


def _safety(judged: Judged) -> JudgedRow:
    odds = tr("All is lost in {years:g} years: {chance}.", years=LOSS_YEARS,
              chance=chance_in_words(judged.figures.array_loss))  # fmt: skip
    said = joined(survival_sentence(judged.figures.survival), odds)
    if is_degraded(judged.array) and not judged.array.has_open_slots:
        lost = state_line(judged.array).sentence or tr("A disk is missing.")
        remedy = Remedy.REPLACE if judged.array.running else Remedy.NONE
        return JudgedRow(Topic.SAFETY, "bad", (lost, said), remedy)
    return JudgedRow(Topic.SAFETY, "good", (said,))


def _health(judged: Judged) -> JudgedRow:
    ids = dict.fromkeys(disk.failure_unit for disk in judged.plan.disks())
    known = [judged.disks[one] for one in ids if one in judged.disks]
    told = [disk for disk in known if disk.health.failing is not None]
    if not told:
        return JudgedRow(Topic.DISKS, "info", (tr("No disk tells its health (SMART)."),))
    hours = max((disk.health.power_on_hours or 0 for disk in told), default=0)
    good = ntr("SMART passed on {count} disk.", "SMART passed on {count} disks.", len(told))
    silent = len(ids) - len(told)
    unknown = ntr("{count} doesn't tell.", "{count} don't tell.", silent) if silent else ""
    age = tr("The longest has run for {years:.1f} years.", years=hours / 8766) if hours else ""
    return JudgedRow(Topic.DISKS, "good", (joined(good, unknown, age),))


def _alignment(judged: Judged) -> JudgedRow:
    offsets = [one for one in judged.assessment.capacity.data_offset_sectors if one is not None]
    is_sliced = any(disk.partition is not None for disk in judged.plan.disks())
    if isinstance(judged.array, Volume) or not offsets:
        return JudgedRow(Topic.ALIGNMENT, "info", (tr("Nothing is known of where its data begin."),))
    if any(one % _BOUNDARY_SECTORS for one in offsets):
        crooked = tr("The data don't begin at a multiple of 4 KiB: each write may cost a read.")
        return JudgedRow(Topic.ALIGNMENT, "warn", (crooked,))
    if is_sliced:
        return JudgedRow(Topic.ALIGNMENT, "good", (tr("In each partition the data begin at a multiple of 4 KiB."),))
    return JudgedRow(Topic.ALIGNMENT, "good", (tr("The data begin at a multiple of 4 KiB on each disk."),))


def _checks(judged: Judged) -> JudgedRow:
    array, check = judged.array, judged.check
    is_checkable = array.running and not is_degraded(array) and array.sync_action in ("", "idle")
    remedy = Remedy.CHECK if is_checkable else Remedy.NONE
    if not any(one.level.is_redundant for one in judged.plan.top.md_arrays()):
        return JudgedRow(Topic.CHECKS, "info", (tr("It has no copies and no parity that could be compared."),))
    if check is None:
        never = tr("Never checked with Raidwright: sectors that went bad unseen are found by a check, or by a rebuild "
                   "that fails.")  # fmt: skip
        return JudgedRow(Topic.CHECKS, "warn", (never,), remedy)
    when = day(check.ended_s or check.began_s)
    said = tr("{day}: {found}", day=when, found=check_words(check))
    if check.state is CheckState.RUNNING:
        return JudgedRow(Topic.CHECKS, "good", (said,))
    if check.state is not CheckState.DONE or check.mismatch_sectors:
        return JudgedRow(Topic.CHECKS, "warn", (said,), remedy)
    if time.time() - check.began_s > _STALE_DAYS * _DAY_S:
        return JudgedRow(Topic.CHECKS, "warn", (joined(said, tr("Once a month is usual.")),), remedy)
    return JudgedRow(Topic.CHECKS, "good", (said,))


def _power_cut(judged: Judged) -> JudgedRow:
    arrays = [one for one in judged.plan.top.md_arrays() if one.level.is_redundant]
    if not arrays:
        return JudgedRow(Topic.POWER_CUT, "info", (tr("Nothing has to be made equal again."),))
    if any(one.journal is not None for one in arrays):
        return JudgedRow(Topic.POWER_CUT, "good", (tr("A write journal repeats what was being written."),))
    if any(one.consistency is Consistency.PPL for one in arrays):
        return JudgedRow(Topic.POWER_CUT, "good", (tr("A partial parity log makes parity whole again."),))
    if all(one.bitmap is not Bitmap.NONE for one in arrays):
        return JudgedRow(Topic.POWER_CUT, "good", (tr("A bitmap keeps the resync to what was being written."),))
    return JudgedRow(Topic.POWER_CUT, "good", (tr("All of it is synchronised again."),))


def _speed(judged: Judged) -> JudgedRow:
    remedy = Remedy.MEASURE if judged.array.running else Remedy.NONE
    if judged.measured is None:
        return JudgedRow(Topic.SPEED, "info", (tr("Not measured yet."),), remedy)
    said = measured_words(*judged.measured)
    is_slow = is_held_back(*judged.measured)
    return JudgedRow(Topic.SPEED, "warn" if is_slow else "good", (said,), remedy if is_slow else Remedy.NONE)


def _told(facts: AlertFacts | None) -> JudgedRow:
    if facts is None:
        return JudgedRow(Topic.TOLD, "info", (tr("Whether somebody is told when a disk fails isn't known."),))
    is_fine = bool(facts.arriving) and not list(trouble(facts))
    return JudgedRow(Topic.TOLD, "good" if is_fine else "warn", (alert_line(facts),),
                     Remedy.NONE if is_fine else Remedy.ALERTS)  # fmt: skip


def verdict_words(name: str, rows: Sequence[JudgedRow]) -> str:
    """Return “media is sound; two things would make it better”."""
    bad, better = (sum(row.tone == tone for row in rows) for tone in ("bad", "warn"))
    if bad:
        return ntr(
            "{name} is at risk; one thing must be done now",
            "{name} is at risk; {number} things must be done now",
            bad,
            name=name,
            number=in_words(bad),
        )
    if better:
        return ntr(
            "{name} is sound; one thing would make it better",
            "{name} is sound; {number} things would make it better",
            better,
            name=name,
            number=in_words(better),
        )
    return tr("{name} is good as it is", name=name)


def shape_line(judged: Judged) -> str:
    """Return the line below the verdict: the shape, and that nothing was written."""
    return tr("{shape} · looked at just now, nothing was written", shape=array_name(judged.plan.top))


_OF_ONE_ARRAY = (Remedy.SAFER, Remedy.BITMAP, Remedy.RETRIES)  # not of a joined volume
_ORDER = (Remedy.REPLACE, Remedy.RETRIES, Remedy.SAFER, Remedy.ALERTS, Remedy.CHECK, Remedy.BITMAP, Remedy.MEASURE)


def first_of(rows: Sequence[JudgedRow]) -> JudgedRow | None:
    """Return the row of the one thing to do; None if nothing needs doing."""
    wanted = [row for row in rows if row.remedy and row.tone in ("bad", "warn")]
    return min(wanted, key=lambda row: (row.tone != "bad", _ORDER.index(row.remedy)), default=None)


def first_words(row: JudgedRow | None) -> tuple[str, str]:
    """Return the heading and the sentence of the one thing to do."""
    if row is None:
        return tr("leave it as it is"), tr("Nothing of what was looked at needs doing. Look again after a change.")
    graves = (one for one in row.findings if one.severity is not Severity.NOTE)
    cause = next((one for one in graves if _BY_CODE.get(one.code) is row.remedy), None)
    said = joined(translated(cause.sentence), translated(cause.reason)) if cause is not None else row.sentences[0]
    return translated(_FIRST[row.remedy]), said
