"""A small, seeded part of ``make fuzz``, so that every run of the tests attacks the installed helper a little."""

from __future__ import annotations

import asyncio

import pytest

from ..fuzz.__main__ import attack

pytestmark = pytest.mark.lab
CALLS = 400


def test_hundreds_of_attacks_leave_nothing_behind() -> None:
    (alone, together), faults = asyncio.run(asyncio.wait_for(attack(CALLS, seed=20), 600))
    assert not faults
    assert alone.calls + together.calls >= CALLS
    assert together.builds["built"]
