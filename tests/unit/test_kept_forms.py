"""JSON of other programs and older files: plans are read, and arrays listed, as when these were recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.core.errors import RaidwrightError
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import dump_plan, read_plan
from raidwright.machine.array_json import array_as_json
from raidwright.machine.states.volume import State

from tests.kit import sample, sample_arrays
from tests.kit.seen_volume import seen_volume
from tests.kit.two_bands import two_bands

KEPT = Path(__file__).with_name("kept")
PLANS = (KEPT / "plans.jsonl").read_text(encoding="utf-8").splitlines()
ARRAYS = KEPT / "arrays.jsonl"


@pytest.mark.parametrize("line", PLANS)
def test_a_plan_is_read_as_it_was(line: str) -> None:
    """Whole ones give the same keys in the same order, broken ones the same code and sentence."""
    plan, answer = json.loads(line)
    try:
        now: object = dump_plan(read_plan(plan))
    except RaidwrightError as error:
        now = [type(error).__name__, error.code, str(error)]
    assert json.dumps(now) == json.dumps(answer)


def _states() -> list[State]:
    """Return an array in each state, and joined volumes: whole, degraded, grown in part, of another kind, stopped."""
    disks = [Member(f"disk-{number}", 4 * 10**12) for number in range(4)]
    volume = seen_volume(two_bands(disks, 1_000_000, 500_000))
    lower, upper = volume.bands
    states = [*sample.machine().arrays, *sample_arrays.every_state().arrays, *sample_arrays.held_back().arrays]
    return [
        *states,
        volume,
        replace(volume, degraded=1, bands=(replace(lower, degraded=1), upper)),
        replace(volume, bands=(lower,), waiting=(upper,)),
        seen_volume(two_bands(disks, 1_000_000, 500_000), kind="striped"),
        sample.array(10**12, make="imsm"),
        sample.array(10**12, level="container", slots=0),
        lower,
    ]


def test_an_array_is_listed_as_it_was() -> None:
    """``array list --json``: every key, in its order."""
    now = [json.dumps(array_as_json(array)) for array in _states()]
    assert now == ARRAYS.read_text(encoding="utf-8").splitlines()
