"""Assumptions, ranges, drivers, benefits of changes, and their words and values."""

from __future__ import annotations

import io
import json
import math
import re
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raidwright.analysis.layers.survival import survival_of
from raidwright.analysis.performance.of_plan import performance_of
from raidwright.analysis.reliability.ageing import AGED_WEAR, ageing
from raidwright.analysis.reliability.assumptions import AssumedRange, Assumptions, Driver
from raidwright.analysis.reliability.drivers import Bought, WhatIf, tornado, what_it_buys
from raidwright.analysis.reliability.loss import Cause, Chance, Loss, expected_losses, likely_loss, loss_of
from raidwright.analysis.reliability.loss_json import loss_as_json
from raidwright.analysis.reliability.published import PublishedRate, published_rates, rates_of_model
from raidwright.analysis.reliability.scenarios import Scenarios, parts_of
from raidwright.cli import main
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.messages import Message
from raidwright.core.model.assumed import ASSUMED
from raidwright.core.model.plan import Baseline, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan, read_plan
from raidwright.text.plan import loss as words
from raidwright.text.plan.loss import (
    bought_sentence,
    chance_in_words,
    chance_with_range,
    duration,
    loss_sentences,
    range_in_words,
)

from .making_plans import equal, flat_plans, grouped, slice_of

EIGHT_TB_SECTORS = 15_628_053_168
RAID5 = equal("raid5", 4, sectors=EIGHT_TB_SECTORS)


def _poisson(most: int, mean: float) -> float:
    """Return the probability of at most ``most`` events with the expectation ``mean``."""
    first = max(0, int(mean - 15 * math.sqrt(mean) - 30))
    return math.fsum(math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(first, most + 1))


@pytest.mark.parametrize("row", published_rates(), ids=lambda row: f"{row.model} {row.until}")
def test_published_rates_and_their_limits_follow_from_the_failures(row: PublishedRate) -> None:
    years = row.drive_days / 365
    failures, rate = row.failures, row.rate
    assert rate == pytest.approx(failures / years, abs=6e-6)
    assert _poisson(failures, row.upper * years) == pytest.approx(0.05, abs=0.01)
    if failures:
        seen_fewer = _poisson(failures - 1, row.lower * years)
        assert seen_fewer == pytest.approx(0.95, abs=0.01)
    assert row.source


def test_a_disks_own_name_finds_its_model() -> None:
    (row,) = rates_of_model("WDC WD60EFRX-68L0BN1")
    assert (row.failures, row.drive_days) == (72, 692_834)
    assert rates_of_model("ST4000DM000-1F2168")[0].rate == pytest.approx(0.02589, abs=1e-5)
    assert rates_of_model("WD60") == rates_of_model("") == ()


def test_rates_come_from_the_disk_the_user_the_model_or_the_class() -> None:
    unknown, known = Member("sda", 1), Member("sda", 1, "ST3000DM001-1CH166")
    assert Assumptions().rate_of(unknown).likely == pytest.approx(0.0136)
    assert "spinning disks at large until 2025-12-31" in Assumptions().rate_of(unknown).source
    for kind, rate in (("hdd", 0.0136), ("ssd", 0.009), ("nvme", 0.009)):
        assert Assumptions().rate_of(replace(unknown, baseline=Baseline(kind=kind))).likely == pytest.approx(rate)
    assert Assumptions().rate_of(known).likely == pytest.approx(0.253, abs=1e-3)
    for_all = Assumptions(failure_rate=AssumedRange.given(0.1))
    assert for_all.rate_of(known).likely == 0.1
    assert for_all.rate_of(replace(known, afr=0.5)).likely == 0.5


@pytest.mark.parametrize("wrong", [
    {"failure_rate": AssumedRange.given(-0.1)},
    {"check_days": AssumedRange.given(math.inf)}, {"wear": 0.0}, {"age_years": -1.0},
    {"rebuild_mb_s": AssumedRange.given(0.0)},
    {"batch_factor": AssumedRange.given(math.nan)}, {"age_years": 1e300, "wear": 3.0},
])  # fmt: skip
def test_assumptions_that_cannot_be_are_refused(wrong: dict[str, AssumedRange]) -> None:
    with pytest.raises(InputError):
        Assumptions(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("years", [0.0, -1.0, 101.0, math.nan])
def test_years_that_cannot_be_are_refused(years: float) -> None:
    with pytest.raises(InputError, match="Years"):
        loss_of(Plan(RAID5), years=years)


@settings(max_examples=80, deadline=None)
@given(flat_plans().map(Plan))
def test_every_plan_has_a_range_in_order(plan: Plan) -> None:
    try:
        capacity = capacity_of(plan.top)
    except PlanRefused:
        return
    loss = loss_of(plan, years=5.0, capacity=capacity)
    for chance in (loss.array, loss.sectors):
        assert 0 <= chance.low <= chance.probability * (1 + 1e-9)
        assert chance.probability <= chance.high * (1 + 1e-9) <= 1 + 1e-8
    assert loss.array.probability <= loss.sectors.probability * (1 + 1e-9)
    assert loss.redundant == (survival_of(plan.top).most() > 0)
    likely = likely_loss(plan, Assumptions(), 5.0, capacity)
    assert (loss.array.probability, loss.sectors.probability) == pytest.approx(likely, rel=1e-9)
    for chance, points in ((loss.array, loss.curve), (loss.sectors, loss.sector_curve)):
        curve = [point.probability for point in points]
        assert curve == sorted(curve)
        assert curve[0] == 0
        assert curve[-1] == pytest.approx(chance.probability, rel=1e-9)


def test_each_assumption_moves_the_way_its_ends_say() -> None:
    loss = loss_of(Plan(RAID5))
    for swings in (loss.array_swings, loss.sector_swings):
        assert {swing.driver for swing in swings} == set(Driver)
        assert all(swing.safer <= swing.worse * (1 + 1e-12) for swing in swings)
    array = {swing.driver for swing in tornado(loss)}
    assert array == {Driver.FAILURE_RATE, Driver.NOTICE, Driver.REPLACEMENT, Driver.REBUILD, Driver.BATCH}
    factors = [swing.worse / swing.safer for swing in tornado(loss, sectors=True)]
    assert factors == sorted(factors, reverse=True)
    assert loss.array.main_driver is tornado(loss)[0].driver


def _at(loss: Loss, end: str) -> Assumptions:
    """Return all assumptions of a loss at one end of their ranges."""
    names = ("notice_hours", "replacement_hours", "batch_factor", "latent_errors", "unreadable_per_bit", "check_days")
    assumed = {name: getattr(loss.assumptions, name) for name in names} | {
        "failure_rate": loss.assumptions.rate_of(next(loss.plan.disks())), "rebuild_mb_s": loss.rebuild.mb_s,
    }  # fmt: skip
    return Assumptions().with_given((name, getattr(one, end)) for name, one in assumed.items())


@pytest.mark.parametrize("plan", [Plan(array) for array in [
    RAID5, equal("raid5", 8, sectors=EIGHT_TB_SECTORS), equal("raid1", 2, sectors=EIGHT_TB_SECTORS), equal("raid0", 3),
    replace(RAID5, spares=(Member("spare", 8 * 10**12),)), equal("raid10", 8, "f2", sectors=EIGHT_TB_SECTORS),
]])  # fmt: skip
def test_a_range_lies_within_all_at_best_and_all_at_worst(plan: Plan) -> None:
    """The top of a range once lay above the result with every assumption at its worst."""
    loss, capacity = loss_of(plan), capacity_of(plan.top)
    best, worst = (likely_loss(plan, _at(loss, end), 5.0, capacity) for end in ("safer", "worse"))
    for chance, least, most in zip((loss.array, loss.sectors), best, worst, strict=True):
        assert least < chance.low <= chance.probability <= chance.high < most
        if loss.redundant:
            assert chance.high / chance.low < (most / least) ** 0.7


@pytest.mark.parametrize("plan", [Plan(array) for array in [
    RAID5, equal("raid6", 8, sectors=EIGHT_TB_SECTORS), equal("raid1", 2, sectors=EIGHT_TB_SECTORS), equal("raid0", 3),
    replace(RAID5, spares=(Member("spare", 8 * 10**12),)), equal("raid10", 6, "n3", sectors=EIGHT_TB_SECTORS),
]])  # fmt: skip
def test_the_headline_is_the_middle_of_what_is_drawn(plan: Plan) -> None:
    """The chance of losing a sector once had nine in ten of the program's own draws above it."""
    loss = loss_of(plan, steps=1)
    parts = parts_of(plan, capacity_of(plan.top), loss.assumptions, loss.years)
    every_draw = expected_losses(parts, loss.assumptions, loss.years, Scenarios(draws=8192), 1)
    for chance, expected in zip((loss.array, loss.sectors), every_draw, strict=True):
        low, median, high = np.quantile(-np.expm1(-expected[1:, 0]), (0.05, 0.5, 0.95))
        assert chance.probability == pytest.approx(median, rel=0.02)
        assert (chance.low, chance.high) == pytest.approx((low, high), rel=0.06)


def test_a_range_is_the_quantiles_of_what_is_drawn() -> None:
    """A stripe's loss depends on the failure rate alone, so its range is that of a PERT distribution."""
    safer, likely, worse = np.log([0.005, 0.0136, 0.04])
    peak = (likely - safer) / (worse - safer)
    drawn = np.random.default_rng(5).beta(1 + 4 * peak, 5 - 4 * peak, 200_000)
    low, high = np.exp(safer + (worse - safer) * np.quantile(drawn, (0.05, 0.95)))
    array = loss_of(Plan(equal("raid0", 2))).array
    assert array.low == pytest.approx(-math.expm1(-10 * low), rel=0.01)
    assert array.high == pytest.approx(-math.expm1(-10 * high), rel=0.01)


_NOBODY = Message("")


@pytest.mark.parametrize("assumed", [
    AssumedRange(24.0, 72.0, 336.0, _NOBODY),
    AssumedRange(204.8, 120.0, 50.0, _NOBODY), AssumedRange(0.0, 8.0, 48.0, _NOBODY),
    AssumedRange(0.0, 0.0, 3e-16, _NOBODY), AssumedRange(0.0131, 0.0333, 0.0333, _NOBODY),
])  # fmt: skip
def test_quantiles_are_those_of_pert(assumed: AssumedRange) -> None:
    points = np.array([assumed.safer, assumed.likely, assumed.worse])
    safer, likely, worse = np.log(points) if points.min() > 0 else points
    peak = (likely - safer) / (worse - safer)
    drawn = np.random.default_rng(3).beta(1 + 4 * peak, 5 - 4 * peak, 200_000)
    shares = (0.05, 0.25, 0.5, 0.75, 0.95)
    found = np.log(assumed.quantiles(shares)) if points.min() > 0 else assumed.quantiles(shares)
    assert (found - safer) / (worse - safer) == pytest.approx(np.quantile(drawn, shares), abs=0.01)


def test_what_is_given_has_no_range() -> None:
    given_all = Assumptions(
        failure_rate=AssumedRange.given(0.02), notice_hours=AssumedRange.given(1.0),
        replacement_hours=AssumedRange.given(20.0),
        rebuild_mb_s=AssumedRange.given(100.0), batch_factor=AssumedRange.given(1.0),
        latent_errors=AssumedRange.given(0.0),
        unreadable_per_bit=AssumedRange.given(0.0), check_days=AssumedRange.given(30.0),
    )  # fmt: skip
    loss = loss_of(Plan(RAID5), given_all)
    assert loss.array.low == loss.array.probability == loss.array.high == loss.sectors.high
    assert loss.array.main_driver is None


def test_the_cause_is_where_the_time_goes() -> None:
    assert loss_of(Plan(RAID5)).cause is Cause.WHILE_WAITING
    assert loss_of(Plan(RAID5), Assumptions(replacement_hours=AssumedRange.given(0.0))).cause is Cause.WHILE_REBUILDING
    spared = replace(equal("raid6", 12, sectors=EIGHT_TB_SECTORS), spares=(Member("spare", 8 * 10**12),))
    for hours, cause in ((24.0, Cause.WHILE_REBUILDING), (720.0, Cause.SPARES_USED_UP)):
        loss = loss_of(Plan(spared), Assumptions(replacement_hours=AssumedRange.given(hours)))
        assert loss.cause is cause
    assert "the spares are used up" in loss_sentences(loss)[0]
    assert loss_of(Plan(equal("raid0", 2))).cause is Cause.ANY_DISK
    assert loss_of(Plan(RAID5), Assumptions(failure_rate=AssumedRange.given(0.0))).cause is Cause.NOTHING


def test_a_rebuild_takes_the_component_over_what_members_links_and_md_allow() -> None:
    def rebuilt(baseline: Baseline, links: tuple[tuple[str, float], ...] = ()) -> float:
        members = tuple(replace(member, baseline=baseline) for member in RAID5.disks())
        loss = loss_of(Plan(replace(RAID5, members=members), links))
        assert loss.rebuild.measured
        return loss.rebuild_hours

    component_mb = capacity_of(RAID5).component_size_kib * 1024 / 1e6
    disk = Baseline(kind="hdd", sequential_read_mb_s=210, sequential_write_mb_s=200, link="hub")
    assert rebuilt(disk) == pytest.approx(component_mb / (200 * 0.75) / 3600, rel=1e-3)
    assert rebuilt(disk, (("hub", 320.0),)) == pytest.approx(component_mb / 80 / 3600)
    assert rebuilt(replace(disk, link_read_mb_s=320)) == pytest.approx(component_mb / 80 / 3600)
    flash = Baseline(kind="ssd", sequential_read_mb_s=500, sequential_write_mb_s=450)
    assert rebuilt(flash) == pytest.approx(component_mb / 204.8 / 3600)
    assert not loss_of(Plan(RAID5)).rebuild.measured


@pytest.mark.parametrize("kind", [None, "hdd", "smr", "ssd", "nvme"])
@pytest.mark.parametrize("plan", [Plan(array) for array in [
    equal("raid6", 24, sectors=EIGHT_TB_SECTORS), RAID5, equal("raid1", 2, sectors=EIGHT_TB_SECTORS),
    equal("raid10", 6, "f2", sectors=EIGHT_TB_SECTORS), grouped("raid0", "raid6", 2, 6),
    grouped("raid1", "raid0", 2, 3),
]])  # fmt: skip
def test_one_rebuild_time_is_said_and_used(plan: Plan, kind: str | None) -> None:
    """A report once said 78 hours, and its loss took 46."""
    plan = plan.each_disk(lambda disk: replace(disk, baseline=Baseline(kind=kind) if kind else None))
    loss, performance = loss_of(plan, steps=1), performance_of(plan)
    assert performance.rebuild_hours == pytest.approx(loss.rebuild_hours, rel=0.02)  # small disks' heads count
    assert performance.rebuild_mb_s == pytest.approx(loss.rebuild.mb_s.likely)


def test_what_changes_buy() -> None:
    bought = {one.change: one for one in what_it_buys(Plan(RAID5), Assumptions(), 5.0)}
    assert set(bought) == {
        WhatIf.EXTRA_DISK, WhatIf.SPARE, WhatIf.RAID6, WhatIf.ON_THE_SHELF, WhatIf.MONTHLY_CHECK
    }  # fmt: skip
    assert all(one.array <= one.array_before for one in bought.values())
    assert bought[WhatIf.EXTRA_DISK].array < bought[WhatIf.SPARE].array
    assert bought[WhatIf.MONTHLY_CHECK].sectors < bought[WhatIf.MONTHLY_CHECK].sectors_before / 5
    assert capacity_of(bought[WhatIf.EXTRA_DISK].plan.top).array_sectors == capacity_of(RAID5).array_sectors


def _bought(plan: Plan, assumptions: Assumptions | None = None) -> dict[WhatIf, Bought]:
    return {one.change: one for one in what_it_buys(plan, assumptions or Assumptions(), 5.0)}


def test_what_stripes_could_be_instead() -> None:
    (mirror,) = _bought(Plan(equal("raid0", 2))).values()
    assert mirror.change is WhatIf.RAID1
    assert mirror.array == pytest.approx(loss_of(Plan(equal("raid1", 2))).array.probability)
    assert mirror.bytes < mirror.bytes_before
    three = _bought(Plan(replace(equal("raid0", 3), chunk_kib=256)))
    assert three[WhatIf.RAID5].array == pytest.approx(loss_of(Plan(equal("raid5", 3))).array.probability)
    assert set(three) == {WhatIf.RAID5}  # raid6 needs four
    assert set(_bought(Plan(equal("linear", 4)))) == {WhatIf.RAID5, WhatIf.RAID6}
    assert _bought(Plan(equal("raid0", 1))) == {}


@pytest.mark.parametrize("kind", ["n", "f", "o"])
def test_what_two_copies_could_be_instead(kind: str) -> None:
    bought = _bought(Plan(equal("raid10", 6, f"{kind}2", EIGHT_TB_SECTORS)))
    three, raid6 = bought[WhatIf.THREE_COPIES], bought[WhatIf.RAID6]
    assert three.plan.array.layout == f"{kind}3"
    assert three.bytes / three.bytes_before == pytest.approx(2 / 3, abs=1e-3)
    assert raid6.bytes / raid6.bytes_before == pytest.approx(4 / 3, abs=1e-3)
    assert raid6.array < raid6.array_before / 5
    assert three.array < three.array_before / 20
    sentence = bought_sentence(three)
    assert sentence.startswith("A third copy of everything (16.0 TB, not 24.0 TB) makes losing the array ")
    assert sentence.endswith(" times less likely.")
    spare = replace(three, change=WhatIf.SPARE, bytes=three.bytes_before, array=three.array_before / 9.4)
    assert bought_sentence(spare) == "A spare makes losing the array 9.4 times less likely."
    assert bought_sentence(replace(spare, array=spare.array / 1e9)).endswith("over 1,000 times less likely.")
    assert bought_sentence(replace(spare, array_before=9e-8, array=1e-9)).endswith(
        "makes no difference that counts: other dangers to the array are far larger."
    )
    assert bought_sentence(replace(spare, array=spare.array_before)).endswith(
        "hardly changes the chance of losing the array."
    )
    slightly_less = replace(raid6, bytes=raid6.bytes_before - 2**20)
    assert bought_sentence(slightly_less).startswith("raid6 instead makes losing")
    assert not {WhatIf.THREE_COPIES, WhatIf.RAID6} & set(_bought(Plan(equal("raid10", 6, "n3"))))
    assert not {WhatIf.THREE_COPIES, WhatIf.RAID6} & set(_bought(Plan(equal("raid10", 2, "n2"))))


def test_what_a_change_costs_is_said() -> None:
    """With frequent failures and slow replacement, two parities on many disks are worse than mirrors."""
    hopeless = Assumptions(failure_rate=AssumedRange.given(0.1), replacement_hours=AssumedRange.given(1000.0))
    raid6 = _bought(Plan(equal("raid10", 24, "n2")), hopeless)[WhatIf.RAID6]
    assert raid6.array > raid6.array_before
    before, after = chance_in_words(raid6.array_before), chance_in_words(raid6.array)
    assert bought_sentence(raid6).endswith(f"makes losing the array more likely: {after}, not {before}.")


def test_missing_members_stay_missing() -> None:
    degraded = replace(RAID5, members=(None, *RAID5.members[1:]))
    loss = loss_of(Plan(degraded))
    assert not loss.redundant
    rate = loss.assumptions.rate_of(next(RAID5.disks()))
    assert loss.array.probability == pytest.approx(-math.expm1(-3 * 5 * rate.middle), rel=1e-3)


def test_chances_in_words() -> None:
    said = [chance_in_words(one) for one in (0.0, 1e-20, 2.5e-9, 1 / 5900, 0.0021, 0.0994, 0.34, 0.999)]
    assert said == [
        "never", "under 1 in 10 million", "under 1 in 10 million", "1 in 5,900", "1 in 480", "1 in 10", "34 in 100",
        "over 99 in 100",
    ]  # fmt: skip
    assert range_in_words(0.002, 0.011) == "1 in 500 to 1 in 91"
    assert range_in_words(0.02, 0.12) == "1 in 50 to 12 in 100"
    assert range_in_words(0.12, 0.34) == "12 to 34 in 100"
    assert range_in_words(0.34, 0.341) == "34 in 100"
    assert chance_with_range(Chance(1 / 140, 1 / 1600, 1 / 13, None)) == "1 in 140 (1 in 1,600 to 1 in 13)"
    assert chance_with_range(Chance(0.02, 0.02, 0.02, None)) == "1 in 50"
    assert [duration(hours) for hours in (0.2, 0.999, 14.2, 80, 1e6)] == [
        "12 minutes", "1 hour", "14 hours", "3 days", "over ten years",
    ]  # fmt: skip


@settings(max_examples=200)
@given(st.floats(0, 1))
def test_every_chance_is_said_in_one_form(chance: float) -> None:
    said = chance_in_words(chance)
    assert re.fullmatch(r"never|under 1 in 10 million|(over 99|\d\d) in 100|1 in [\d,.]+( (m|b|tr)illion)?", said), said


def test_sentences_say_the_years_the_range_and_why() -> None:
    array, sectors, backup = loss_sentences(loss_of(Plan(RAID5)))
    assert array.startswith(
        "Over 5 years the chance of losing the whole array is 1 in 3,500 (1 in 15,000 to 1 in 770);"
    )
    assert "during the 3 days until a replacement is there" in array
    assert "at least one sector" in sectors
    assert "how many sectors have become unreadable" in sectors
    assert "backup" in backup


def test_values_are_json_with_every_source() -> None:
    said = json.loads(json.dumps(loss_as_json(loss_of(Plan(RAID5))), allow_nan=False))
    listed = [one for one in said["assumptions"].values() if isinstance(one, dict)]
    assert len(listed) == 8
    assert all(one["source"] and one["unit"] and one["distribution"] for one in listed)
    assert said["confidence"] == 0.9
    assert said["low"] <= said["probability"] <= said["high"]


def _said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, plan: Plan, *words: str) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(dump_plan(plan))))
    assert main(["loss", "-", *words]) == 0
    return capsys.readouterr().out


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = _said(capsys, monkeypatch, Plan(RAID5), "--years", "3", "--simulate", "1000")
    assert "Over 3 years" in " ".join(text.split())
    assert "Simulated 1,000 arrays" in text
    said = json.loads(_said(capsys, monkeypatch, Plan(RAID5), "--json", "--afr", "2%", "--simulate", "2000"))
    assert said["simulation"]["arrays"] == 2000
    assert said["assumptions"]["failure rate a year, model unknown"]["likely"] == 0.02
    assert {one["change"] for one in said["what_it_buys"]} >= {WhatIf.EXTRA_DISK, WhatIf.SPARE, WhatIf.RAID6}


def test_the_ideal_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--ideal", "--afr", "0.00876", "--repair-hours", "24", "--years", "5")
    said = json.loads(_said(capsys, monkeypatch, Plan(equal("raid6", 6)), *words, "--json"))
    assert said["p_loss"] == pytest.approx(1.5121936e-09, rel=1e-7)
    assert said["mttdl_hours"] == pytest.approx(2.8940741e13, rel=1e-7)
    assert "1.51219355" in _said(capsys, monkeypatch, Plan(equal("raid6", 6)), *words)
    nothing = json.loads(
        _said(capsys, monkeypatch, Plan(RAID5), "--ideal", "--afr", "0", "--repair-hours", "1", "--json")
    )
    assert (nothing["p_loss"], nothing["mttdl_hours"]) == (0, None)


@pytest.mark.parametrize("words", [
    ["--ideal"], ["--ideal", "--afr", "0.1"], ["--repair-hours", "3"], ["--years", "0"], ["--years", "x"],
    ["--simulate", "0"], ["--simulate", "1e9"], ["--seed", "-1"], ["--ideal", "--afr", "nan", "--repair-hours", "1"],
    ["--ideal", "--afr", "1e308", "--repair-hours", "1"], ["--ideal", "--afr", "1", "--repair-hours", "1e-300"],
])  # fmt: skip
def test_what_cannot_be_meant_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(dump_plan(Plan(RAID5)))))
    assert main(["loss", "-", *words]) == 2
    assert capsys.readouterr().err.startswith("raidwright: ")


_OPTIONS = {
    "failure_rate": "--afr", "notice_hours": "--notice-hours", "replacement_hours": "--replacement-hours",
    "rebuild_mb_s": "--rebuild-mb-s", "batch_factor": "--batch-factor", "latent_errors": "--latent-errors",
    "unreadable_per_bit": "--unreadable-per-bit", "check_days": "--check-days", "age_years": "--age-years",
    "wear": "--wear",
}  # fmt: skip


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e308", "-0.5", "beyond", "below"])
@pytest.mark.parametrize("name", ASSUMED)
def test_an_assumption_outside_its_range_is_named_with_the_way_out(
    name: str, value: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = ASSUMED[name]
    number = {"beyond": limits.most * 1.01, "below": limits.least - 1e-12}.get(value) or float(value)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(dump_plan(Plan(RAID5)))))
    assert main(["loss", "-", f"{_OPTIONS[name]}={number!r}", "--json"]) == 2
    said = capsys.readouterr()
    assert _OPTIONS[name] in said.err
    assert f"write a number from {limits.span}, like {limits.example}" in said.err
    assert said.out == ""
    with pytest.raises(InputError, match=f"“{name}” can’t be .* from {limits.least:g} to "):
        read_plan(dump_plan(Plan(RAID5)) | {"assumptions": {name: number}})
    with pytest.raises(InputError, match=f"“{name}” can’t be "):
        Assumptions().with_given([(name, number)])


@pytest.mark.parametrize("name", ASSUMED)
def test_an_assumption_at_either_end_of_its_range_gives_figures(name: str) -> None:
    for number in (ASSUMED[name].least, ASSUMED[name].most):
        for plan in (RAID5, replace(RAID5, spares=(Member("spare", 8 * 10**12),)), equal("raid10", 8, "f2")):
            loss = loss_of(Plan(plan, assumptions=((name, number),)), steps=2)
            json.dumps(loss_as_json(loss), allow_nan=False)
            assert 0 <= loss.array.low <= loss.array.probability <= loss.array.high <= 1


@pytest.mark.parametrize("number", [0, 1e-320, -1, 1e308, math.inf, math.nan, 10**400])
@pytest.mark.parametrize("key", [
    "sequential_read_mb_s", "sequential_write_mb_s", "random_read_4k_iops", "random_write_4k_iops",
])  # fmt: skip
def test_speeds_that_no_disk_has_are_refused_by_name(key: str, number: float) -> None:
    disk = {"id": "sda", "size_bytes": 10**12, "baseline": {key: number}}
    with pytest.raises(InputError, match=f"baseline: “{key}” can’t be .* from 0.1 to "):
        read_plan({"level": "raid0", "members": [disk]})
    with pytest.raises(InputError, match="“mb_s” can’t be "):
        read_plan(dump_plan(Plan(RAID5)) | {"links": {"hub": {"mb_s": number}}})


def test_assess_says_the_loss(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    baseline = Baseline(kind="hdd", sequential_read_mb_s=210, sequential_write_mb_s=205)
    fast = replace(RAID5, members=tuple(replace(member, baseline=baseline) for member in RAID5.disks()))
    for plan, has_hours in ((RAID5, True), (fast, True), (equal("raid0", 3), False)):
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(dump_plan(Plan(plan)))))
        assert main(["assess", "--json", "--years", "2", "-"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert said["loss"]["years"] == 2
        assert ("rebuild_hours" in said) == has_hours


def test_a_plans_file_keeps_what_its_user_assumes() -> None:
    assumed = (("failure_rate", 0.02), ("replacement_hours", 24.0), ("wear", 1.1))
    plan = read_plan(json.loads(json.dumps(dump_plan(Plan(RAID5, assumptions=assumed)))))
    assert plan.assumptions == assumed
    loss = loss_of(plan)
    assert loss.assumptions.replacement_hours == AssumedRange.given(24.0)
    assert loss.assumptions.wear == 1.1
    with pytest.raises(InputError, match="weather"):
        read_plan(dump_plan(Plan(RAID5)) | {"assumptions": {"weather": 1}})


def test_every_assumption_can_be_kept() -> None:
    assert set(ASSUMED) == {field.name for field in fields(Assumptions)}


def _own(plan: Plan, *said: tuple[float | None, float | None]) -> Plan:
    """Return ``plan`` with (afr, age) of its first members."""
    own = (*said, *((None, None),) * len(plan.array.members))
    return plan.on(
        replace(
            plan.array,
            members=tuple(
                replace(disk, afr=afr, age_years=age) for disk, (afr, age) in zip(plan.disks(), own, strict=False)
            ),
        )
    )


def test_each_disk_of_a_plan_is_reached_wherever_it_serves() -> None:
    disks = tuple(Member(f"disk-{number}", 10**12) for number in range(6))
    inner = MdArray(Level.RAID5, disks[1:4], spares=(disks[4],), journal=disks[5])
    plan = Plan(MdArray(Level.RAID1, (disks[0], None, inner)))
    aged = plan.each_disk(lambda disk: replace(disk, age_years=float(disk.id[-1])))
    assert [disk.age_years for disk in aged.disks()] == [0, 1, 2, 3, 4, 5]
    assert aged.each_disk(lambda disk: replace(disk, age_years=None)) == plan


def test_a_plans_file_keeps_each_disks_own_rate_and_age() -> None:
    plan = _own(Plan(RAID5), (0.02, 3.5), (0, None), (None, 0))
    data = json.loads(json.dumps(dump_plan(plan)))
    assert data["members"][0] | {"afr": 0.02, "age_years": 3.5} == data["members"][0]
    assert read_plan(data) == plan
    assert read_plan(dump_plan(Plan(RAID5))).array == RAID5


@pytest.mark.parametrize(("key", "value"), [
    ("afr", -0.1), ("afr", 101), ("afr", math.nan), ("afr", "2%"), ("age_years", -1), ("age_years", 1e300), ("age", 1),
])  # fmt: skip
def test_rates_and_ages_that_cannot_be_are_refused_by_name(key: str, value: object) -> None:
    disk = {"id": "sda", "size_bytes": 10**12, key: value}
    with pytest.raises(InputError, match=f"“{key}”"):
        read_plan({"level": "raid0", "members": [disk]})


def test_slices_of_one_disk_have_one_age() -> None:
    slices = [replace(slice_of("sda", 1), age_years=2.0), slice_of("sda", 2)]
    with pytest.raises(InputError, match="slices of sda"):
        read_plan(dump_plan(Plan(replace(RAID5, members=tuple(slices)))))


def test_each_disks_own_rate_is_in_the_answer() -> None:
    striped = _own(Plan(equal("raid0", 3)), (0.1, None), (0.02, None), (0.0, None))
    loss = loss_of(striped)
    assert loss.exact
    assert loss.array.probability == pytest.approx(-math.expm1(-5 * 0.12))
    listed = loss_as_json(loss)["assumptions"]
    assert isinstance(listed, dict)
    assert listed["failure rate a year, disk-1"]["likely"] == 0.02
    one_bad = loss_of(_own(Plan(RAID5), (0.3, None)), Assumptions(failure_rate=AssumedRange.given(0.01)))
    all_good = loss_of(Plan(RAID5), Assumptions(failure_rate=AssumedRange.given(0.01)))
    assert one_bad.array.probability > 5 * all_good.array.probability


def test_an_age_in_the_plan_lets_disks_wear_unless_the_user_says_otherwise() -> None:
    aged = _own(Plan(RAID5), (None, 8.0))
    loss = loss_of(aged)
    assert loss.assumptions.wear == AGED_WEAR
    assert not loss.exact
    assert loss.array.probability > loss_of(Plan(RAID5)).array.probability
    listed = loss_as_json(loss)["assumptions"]
    assert isinstance(listed, dict)
    assert listed["age in years, disk-0"]["likely"] == 8
    assert "Elerath" in listed["wear of disks, as a Weibull shape"]["source"]
    for_all = Plan(RAID5, assumptions=(("age_years", 8.0),))
    assert loss_of(for_all) == replace(
        loss_of(for_all, Assumptions.of(Plan(RAID5), (("age_years", 8.0),))), plan=for_all
    )
    assert loss_of(for_all).array.probability > loss.array.probability
    unworn = loss_of(replace(aged, assumptions=(("wear", 1.0),)))
    assert unworn.exact
    assert unworn.array == loss_of(Plan(RAID5)).array


def test_an_aged_disk_has_the_mean_hazard_of_its_years() -> None:
    """Hazard of a Weibull life: (t/η)^β grows from age to age plus years; its rate is the published in years 0 to 5."""
    for age in (0.0, 1.5, 3.0):
        grown = ((age + 2) ** AGED_WEAR - age**AGED_WEAR) / 5**AGED_WEAR * 5 * 0.02
        assert loss_of(_own(Plan(equal("raid0", 1)), (0.02, age)), years=2).array.probability == pytest.approx(
            -math.expm1(-grown)
        )


def test_old_disks_fail_as_often_as_in_the_field() -> None:
    """Backblaze 2025: 4.25% a year at ten years and three months, where all disks had 1.36%; 2021: 14.24% of 1.40%."""
    assert tuple(ageing(0.0, 5.0)) == pytest.approx((1.0, 1.0, 1.0))
    assert ageing(10.25, 1e-6).likely == pytest.approx(4.25 / 1.36, rel=1e-4)
    assert ageing(7.75, 1e-6).worse == pytest.approx(14.24 / 1.40, rel=1e-4)
    assert ageing(9.0, 2.0).worse == pytest.approx(14.24 / 1.40)
    for age, years in ((0.0, 10.0), (3.0, 4.0), (6.0, 5.0), (2.0, 1.0), (80.0, 20.0)):
        steps = 4000
        pieces = [ageing(age + years * step / steps, years / steps) for step in range(steps)]
        for end, whole in enumerate(ageing(age, years)):
            assert whole == pytest.approx(sum(piece[end] for piece in pieces) / steps)
        assert ageing(age, years).safer <= ageing(age, years).likely <= ageing(age, years).worse


def test_age_counts_and_its_range_widens_upwards() -> None:
    new, old = (loss_of(Plan(equal("raid6", 6), assumptions=(("age_years", age),))) for age in (0.0, 8.0))
    assert old.array.probability > 5 * new.array.probability
    assert old.array.high / old.array.probability > new.array.high / new.array.probability


@pytest.mark.parametrize(("years", "is_told"), [(5.0, False), (10.0, True)])
def test_years_beyond_the_published_say_that_no_age_counts(years: float, is_told: bool) -> None:
    listed = loss_as_json(loss_of(Plan(RAID5), years=years))["assumptions"]
    assert isinstance(listed, dict)
    assert ("wear of disks, as a Weibull shape" in listed) == is_told
    if is_told:
        assert "Give an age" in listed["wear of disks, as a Weibull shape"]["source"]


def test_unreadable_sectors_know_the_disks_size_and_kind() -> None:
    def of(size_bytes: int, kind: str) -> AssumedRange:
        made = equal("raid5", 5).each_disk(
            lambda disk: replace(disk, size_bytes=size_bytes, baseline=Baseline(kind=kind))
        )
        return Assumptions.of(Plan(made)).latent_errors

    small, large, flash = of(5 * 10**11, "hdd"), of(24 * 10**12, "hdd"), of(10**12, "ssd")
    assert (small.likely, small.worse) == (0.0333, 0.1)
    assert large.likely == small.likely
    assert large.worse == pytest.approx(0.1 * math.sqrt(48))
    assert flash.likely == 0.056
    assert "Schroeder" in flash.source
    mixed = equal("raid1", 2).each_disk(
        lambda disk: replace(disk, baseline=Baseline(kind="ssd" if disk.id == "disk-0" else "hdd"))
    )
    assert Assumptions.of(Plan(mixed)).latent_errors.likely == flash.likely
    assert Assumptions.of(Plan(mixed), (("latent_errors", 0.01),)).latent_errors.worse == 0.01


@pytest.mark.parametrize("level", ["raid1", "raid5", "raid6", "raid10"])
@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.0, 0.5), (100.0, 1e-12), (100.0, 100.0)])
def test_own_rates_at_their_limits_give_answers(level: str, rates: tuple[float, float]) -> None:
    loss = loss_of(_own(Plan(equal(level, 8)), *((rates[slot % 2], slot * 12.0) for slot in range(8))), years=30)
    for chance in (loss.array, loss.sectors):
        assert 0 <= chance.low <= chance.probability * (1 + 1e-9) <= chance.high * (1 + 1e-8) <= 1 + 1e-7
    json.dumps(loss_as_json(loss), allow_nan=False)


def test_the_command_takes_each_disks_own(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    plan = _own(Plan(equal("raid0", 2)), (0.1, None), (None, 4.0))
    said = json.loads(_said(capsys, monkeypatch, plan, "--json", "--afr", "2%", "--wear", "1"))
    assert said["probability"] == pytest.approx(-math.expm1(-5 * 0.12))
    assert "age in years, disk-1: 4" in _said(capsys, monkeypatch, plan)


def test_one_table_has_every_assumption() -> None:
    """A loss's drivers, words and plan keys use the names there, and no others."""
    named = {field.name: field.default for field in fields(Assumptions)}
    assert set(named) == set(ASSUMED)
    assert {str(driver) for driver in Driver} <= set(ASSUMED)
    assert set(words._DRIVERS) == set(Driver)
    for name, one in ASSUMED.items():
        if (default := one.default) is None:
            assert not isinstance(named[name], AssumedRange)
            continue
        assert all(one.refusal(value) is None for value in (default.safer, default.likely, default.worse))
        assert named[name] == AssumedRange(default.safer, default.likely, default.worse, default.source)
