"""The judgement of an array: findings by topic, the tone of each row, the verdict, and the one thing to do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from raidwright.analysis.advice.shapes import figures_of_shape
from raidwright.analysis.assessment import assess
from raidwright.analysis.findings.finding import Finding, Severity, Stake
from raidwright.analysis.judgement import Topic, by_topic, topic_of
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Bitmap, Plan
from raidwright.core.protocol.facts import AlertFacts, Check, CheckState
from raidwright.machine.judged_plan import judged_disks, judged_plan
from raidwright.text.array.judgement import Judged, JudgedRow, Remedy, first_of, first_words, judged_rows, verdict_words

from tests.kit import sample, sample_growth

_TOLD = AlertFacts(mail="root", can_mail=True, watches=True, mail_sent_s=1_790_000_000)


def _check(days_ago: float, mismatches: int = 0, state: CheckState = CheckState.DONE) -> Check:
    began_s = int(time.time() - 86_400 * days_ago)
    return Check(sample.ARRAY_UUID, "media", state, began_s, began_s + 3600, mismatches)


def _judged(plan: Plan = sample_growth.PLAN, disks: Sequence[Disk] = (), **more: object) -> Judged:
    snapshot = sample_growth.seen()
    if disks:
        snapshot = replace(snapshot, disks=tuple(disks))
    array = sample_growth.media(plan)
    judged, known = judged_plan(array, snapshot), judged_disks(snapshot)
    return Judged(array, assess(judged, known), figures_of_shape(judged), known, **more)  # type: ignore[arg-type]


def _rows(judged: Judged) -> dict[Topic, JudgedRow]:
    return {row.topic: row for row in judged_rows(judged)}


@pytest.mark.parametrize("bitmap", [Bitmap.INTERNAL, Bitmap.NONE])
def test_each_finding_of_the_assessment_is_said_in_one_row(bitmap: Bitmap) -> None:
    failing = replace(sample_growth.MEMBERS[0], health=replace(sample_growth.MEMBERS[0].health, failing=True))
    plan = sample_growth.PLAN.on(replace(sample_growth.PLAN.array, bitmap=bitmap))
    judged = _judged(plan, (failing, *sample_growth.MEMBERS[1:]))
    rows = judged_rows(judged)
    shown = [finding for row in rows for finding in row.findings]
    assert sorted(shown, key=lambda one: one.code) == sorted(judged.assessment.findings, key=lambda one: one.code)
    words = "\n".join(sentence for row in rows for sentence in row.sentences)
    assert all(str(finding.sentence) in words for finding in judged.assessment.findings)


def test_a_new_kind_of_finding_has_a_topic_by_its_stake() -> None:
    def new(stake: Stake) -> Finding:
        return Finding(Severity.NOTE, "never-seen-before", say("A."), say("B."), say("C."), at_stake=stake)

    topics = [topic_of(new(stake)) for stake in Stake]
    assert topics == [Topic.SAFETY, Topic.SAFETY, Topic.LAYOUT, Topic.SPEED, Topic.LAYOUT]
    assert list(by_topic([])) == list(Topic)


def test_the_verdict_counts_what_would_make_it_better() -> None:
    judged = _judged(check=_check(3), alerts=_TOLD)
    rows = _rows(judged)
    assert rows[Topic.CHECKS].tone == "good"
    assert rows[Topic.TOLD].tone == "good"
    assert (rows[Topic.SAFETY].tone, rows[Topic.SAFETY].remedy) == ("warn", Remedy.SAFER)
    assert verdict_words("media", judged_rows(judged)) == "media is sound; one thing would make it better"
    assert first_words(first_of(judged_rows(judged)))[0] == "make it safer"


def test_a_failing_disk_comes_first() -> None:
    failing = replace(sample_growth.MEMBERS[0], health=replace(sample_growth.MEMBERS[0].health, failing=True))
    rows = judged_rows(_judged(disks=(failing, *sample_growth.MEMBERS[1:])))
    assert verdict_words("media", rows) == "media is at risk; one thing must be done now"
    first = first_of(rows)
    assert first is not None
    assert first.remedy is Remedy.REPLACE
    assert first_words(first) == (
        "replace the disk",
        "VK0ABCD0: SMART overall health FAILED. Its own health check has given it up.",
    )


@pytest.mark.parametrize(
    ("check", "tone", "said"),
    [
        (None, "warn", "Never checked with Raidwright"),
        (_check(3), "good", "nothing differs"),
        (_check(200), "warn", "Once a month is usual."),
        (_check(3, mismatches=8), "warn", "8 sectors differ"),
        (_check(3, state=CheckState.INTERRUPTED), "warn", "was cut off"),
        (_check(0, state=CheckState.RUNNING), "good", "The check runs."),
    ],
)
def test_a_check_counts_by_its_age_and_result(check: Check | None, tone: str, said: str) -> None:
    row = _rows(_judged(check=check))[Topic.CHECKS]
    assert row.tone == tone
    assert said in row.sentences[0]
    assert (row.remedy is Remedy.CHECK) is (tone == "warn")


@pytest.mark.parametrize(
    ("facts", "tone", "remedy"),
    [
        (None, "info", Remedy.NONE),
        (AlertFacts(watches=True), "warn", Remedy.ALERTS),
        (replace(_TOLD, watches=False), "warn", Remedy.ALERTS),
        (_TOLD, "good", Remedy.NONE),
    ],
)
def test_messages_count_by_whether_they_arrive(facts: AlertFacts | None, tone: str, remedy: Remedy) -> None:
    row = _rows(_judged(alerts=facts))[Topic.TOLD]
    assert (row.tone, row.remedy) == (tone, remedy)


def test_an_array_without_fault_is_left_as_it_is() -> None:
    rows = [JudgedRow(topic, "good", ("Fine.",)) for topic in Topic]
    assert verdict_words("media", rows) == "media is good as it is"
    assert first_of(rows) is None
    assert first_words(None)[0] == "leave it as it is"


def test_what_nobody_measured_is_no_fault() -> None:
    row = _rows(_judged())[Topic.SPEED]
    assert row.remedy is Remedy.MEASURE
    assert row.tone != "warn"
