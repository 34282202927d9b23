"""The verdict of a shoot-out: what survives first, then the deciding workloads, and nothing before all are measured."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from raidwright.analysis.advice.matrix import matrix, read_shapes
from raidwright.analysis.comparison.verdict import Verdict
from raidwright.core.model.plan import Baseline, Member
from raidwright.core.system.workload import Workload
from raidwright.operations.shootout.contest import contest_of
from raidwright.operations.shootout.predicted import Predicted
from raidwright.operations.shootout.results import Figure, Findings
from raidwright.runs.memory_speed import MEMORY_SPEED
from raidwright.runs.run import ArrayState, RunResult
from raidwright.suites import Suite
from raidwright.text.run.shootout import contestant_lines, is_counted, missed_predictions, predicted_values, unit
from raidwright.text.run.verdict import planned_words, reasons, short_verdict, verdict

_DISKS = tuple(Member(f"wwn-0x{n}", 320 * 10**9, baseline=Baseline(kind="hdd", rpm=7200)) for n in range(1, 5))
_STATES = (ArrayState.HEALTHY, ArrayState.DEGRADED)
_CONTEST = contest_of(matrix(_DISKS, read_shapes("raid0,raid5,raid6,raid10:f2")), 4 * 2**30, Suite.MIXED, _STATES, 60)
_MIXED, _WRITE = Workload.RANDOM_MIXED_4K_Q32, Workload.SEQUENTIAL_WRITE
_RAID0, _RAID5, _RAID6, _FAR = 1, 2, 3, 4


def _found(
    rates: Mapping[int, tuple[float, ...]], *, lost: Mapping[int, float] | None = None, at_memory_speed: bool = False
) -> Findings:
    """Return findings of the deciding workload, in MB/s by contestant: whole, each repeat, and with a disk ``lost``."""
    findings = Findings(_CONTEST)
    remarks = (MEMORY_SPEED,) if at_memory_speed else ()
    degraded = {place: (mb_s,) for place, mb_s in (lost or {}).items()}
    for state, each in ((ArrayState.HEALTHY, rates), (ArrayState.DEGRADED, degraded)):
        for place, repeats in each.items():
            said = Predicted(_CONTEST.contestants[place]).of(_MIXED, state)
            for mb_s in repeats:
                result = RunResult(_MIXED, 1.0, mb_s, mb_s * 1e6 / 4096)
                findings = findings.with_result(Figure(place, state, _MIXED, (result,), said, remarks))
    return findings


_CLEAR = {0: (1.0, 1.0, 1.0), _RAID0: (4.0, 4.0, 4.1), _RAID5: (2.0, 2.0, 2.02), _RAID6: (1.5, 1.5, 1.52),
          _FAR: (3.0, 3.0, 3.03)}  # fmt: skip


def test_the_fastest_wins_only_if_it_survives_a_lost_disk() -> None:
    found = _found(_CLEAR, lost={_FAR: 1.5})
    assert found.is_decided
    assert verdict(found).startswith("The fastest that survives a lost disk: RAID 10, far · 4 disks · 512 KiB, 3.01×")
    assert short_verdict(found) == "fastest that survives a lost disk"
    said = list(reasons(found, _FAR))
    assert said == [
        "Any one disk may fail.",
        "Against one disk: 3.01× random mix 4 KiB ×32.",
        "With a disk lost it keeps 50% of its speed.",
        "The next is RAID 5 · 4 disks · 512 KiB, 2.01×.",
        "RAID 0 · 4 disks · 512 KiB is faster, but survives no lost disk.",
    ]
    assert list(reasons(found, _RAID0))[-1] == "It doesn't win, however fast: it survives no lost disk."
    assert next(reasons(found, _RAID6)) == "Any two disks may fail."
    assert "RAID 10, far · 4 disks · 512 KiB is faster: 3.01×." in list(reasons(found, _RAID6))


def test_nothing_wins_before_all_are_measured() -> None:
    found = _found({place: rates for place, rates in _CLEAR.items() if place != _RAID6})
    assert found.winner == _FAR  # so far
    assert not found.is_decided
    assert verdict(found) == "Not every layout was measured, so none is the fastest."
    assert planned_words(found, _FAR) == "Measured in a shoot-out."
    assert not any("next" in said for said in reasons(found, _FAR))


def test_a_lead_within_the_repeats_spread_is_said() -> None:
    found = _found({**_CLEAR, _RAID5: (2.9, 2.6, 3.3)})
    lead = found.lead
    assert lead is not None
    assert lead.verdict is Verdict.UNKNOWN
    assert "The repeats can't tell it from the next, RAID 5 · 4 disks · 512 KiB." in list(reasons(found, _FAR))


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (_FAR, "Measured fastest of 3 layouts that survive a lost disk."),
        (_RAID5, "Measured in a shoot-out: number 2 of 3 by speed."),
        (_RAID6, "Measured in a shoot-out: number 3 of 3 by speed."),
        (_RAID0, "Measured in a shoot-out."),  # it isn't ranked among those
    ],
)
def test_a_plan_bears_its_rank_among_those_as_safe(place: int, words: str) -> None:
    assert planned_words(_found(_CLEAR), place) == words


def test_at_memory_speed_no_multiple_is_said() -> None:
    found = _found(_CLEAR, at_memory_speed=True)
    assert list(reasons(found, _FAR)) == ["Any one disk may fail."]
    assert planned_words(found, _FAR) == "Tried in a shoot-out at memory speed, which says nothing about disks."
    assert not list(missed_predictions(found))


def test_a_missed_prediction_is_said_in_its_unit() -> None:
    found = _found({_FAR: (0.1,)})
    [figure] = found.figures
    said = predicted_values(figure)
    assert said is not None
    assert said[0] == pytest.approx(figure.predicted.iops)  # type: ignore[union-attr]
    [line] = missed_predictions(found)
    assert line.startswith("RAID 10, far · 4 disks · 512 KiB, healthy, random mix 4 KiB ×32: 24.4 IOPS where ")
    assert "MB/s" not in line
    assert (is_counted(_WRITE), unit(_WRITE), unit(_MIXED)) == (False, "MB/s", "IOPS")


def test_layouts_are_named_in_words_with_what_tells_them_apart() -> None:
    assert contestant_lines(_CONTEST.contestants[_FAR]) == ("RAID 10, far", "4 disks, 512 KiB")
    assert contestant_lines(_CONTEST.contestants[0]) == ("one disk alone", "")
