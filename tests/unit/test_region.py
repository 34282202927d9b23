"""The measured region of a practice machine's disks: small, since they are stored on this computer."""

from __future__ import annotations

from raidwright.machine.values import Snapshot
from raidwright.runs.region import PRACTICE_MIB, region_mib

from tests.kit import sample

MIB = 2**20


def test_a_real_target_is_gone_over_whole() -> None:
    assert region_mib(Snapshot(), "md:x", is_practice=False) is None


def test_a_little_of_a_practice_target_is_enough() -> None:
    snapshot = Snapshot(arrays=(sample.array(2**40),))
    assert region_mib(snapshot, f"md:{sample.ARRAY_UUID}", is_practice=True) == PRACTICE_MIB


def test_a_small_target_is_not_gone_beyond() -> None:
    snapshot = Snapshot(arrays=(sample.array(64 * MIB + 1),))
    assert region_mib(snapshot, f"md:{sample.ARRAY_UUID}", is_practice=True) == 64
