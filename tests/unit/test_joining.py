"""Progress of a disk added to an array: done, under way, or gone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.core.model.plan import Member
from raidwright.core.protocol.results import Joined, MemberJoined
from raidwright.machine.join_progress import Joining, joining_of, place_of
from raidwright.machine.values import Array, ArrayDevice, Lack

from tests.kit import sample

NEW = Member("wwn-0x9", 10**12)


def _array(*states: str, slot: int | None = None, is_whole: bool = True) -> Array:
    places = (ArrayDevice(slot, "/dev/sdx", states, NEW),) if states else ()
    return replace(sample.array(10**12), places=places, lacks=() if is_whole else (Lack(1),))


@pytest.mark.parametrize(("array", "joined", "how"), [
    (_array("in_sync", slot=1), Joined.REBUILDS, Joining.DONE),
    (_array("in_sync", slot=1), None, Joining.DONE),
    (_array("spare", slot=1, is_whole=False), Joined.REBUILDS, Joining.UNDER_WAY),
    (_array("spare"), Joined.SPARE, Joining.DONE),
    (_array("spare"), Joined.REBUILDS, Joining.DONE),  # another spare was faster
    (_array("spare", is_whole=False), Joined.REBUILDS, Joining.UNDER_WAY),
    (_array("spare"), Joined.TAKES_OVER, Joining.UNDER_WAY),  # md has yet to begin the copy
    (_array("spare"), None, Joining.UNDER_WAY),
    (_array("faulty"), Joined.TAKES_OVER, Joining.DROPPED_OUT),
    (_array(), Joined.REBUILDS, Joining.UNDER_WAY),
])  # fmt: skip
def test_how_far_it_is(array: Array, joined: Joined | None, how: Joining) -> None:
    told = MemberJoined(1, joined) if joined else None
    assert joining_of(array, NEW, told, was_seen=False) is how


def test_one_that_was_there_and_is_gone_has_dropped_out() -> None:
    assert joining_of(_array(), NEW, MemberJoined(1, Joined.REBUILDS), was_seen=True) is Joining.DROPPED_OUT
    assert place_of(_array(), NEW) is None
