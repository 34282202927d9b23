"""Holds of running arrays, by the values that md showed in each state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.md.running_state import WAITING, Hold, RunningMember, RunningState, hold_of, member_of_line
from raidwright.core.protocol.facts import ArrayFacts
from raidwright.machine.running import hold_in

_NAMES = "abcd"


def _members(*slots: int | None, states: str = "in_sync") -> tuple[RunningMember, ...]:
    return tuple(RunningMember(f"sd{_NAMES[at]}", slot, (states,)) for at, slot in enumerate(slots))


_WHOLE = _members(0, 1, 2)
_REBUILT = RunningMember("sdd", 3, ("spare",), 2304)
_SPARE = RunningMember("sdd", None, ("spare",), 0)
_JOURNAL = RunningMember("sdd", None, ("journal",))
_DEAD_JOURNAL = RunningMember("sdd", None, ("faulty", "journal"))


@pytest.mark.parametrize(
    ("state", "hold"),
    [
        (RunningState("clean", "idle", members=_WHOLE), None),
        (RunningState("active", "resync", resync_pending=True, members=_WHOLE), None),
        (RunningState("read-auto", "idle", members=_WHOLE), None),
        (RunningState("read-auto", "idle", resync_pending=True, members=_WHOLE), Hold.RESYNC_WAITS),
        (RunningState("readonly", "idle", resync_pending=True, members=_WHOLE), Hold.READ_ONLY),
        (RunningState("readonly", "idle", degraded=1, members=_WHOLE), Hold.READ_ONLY),
        (RunningState("clean", "frozen", resync_pending=True, members=_WHOLE), Hold.FROZEN),
        (RunningState("clean", "frozen", members=_WHOLE), Hold.FROZEN),
        (RunningState("clean", "recover", degraded=1, members=(*_WHOLE, _REBUILT)), None),
        (RunningState("read-auto", "idle", degraded=1, members=(*_WHOLE, _REBUILT)), Hold.REBUILD_WAITS),
        (RunningState("read-auto", "idle", degraded=1, members=(*_WHOLE, _SPARE)), Hold.REBUILD_WAITS),
        (RunningState("read-auto", "idle", members=(*_WHOLE, _SPARE)), None),
        (RunningState("read-auto", "idle", degraded=1, members=_WHOLE), None),
        (RunningState("clean", "reshape", reshapes=True, members=_WHOLE), None),
        (RunningState("clean", "frozen", reshapes=True, members=_WHOLE), Hold.RESHAPE_FROZEN),
        (RunningState("read-auto", "idle", reshapes=True, members=_WHOLE), Hold.RESHAPE_WAITS),
        (RunningState("read-auto", "idle", reshapes=True, degraded=1, members=_WHOLE), Hold.RESHAPE_WAITS),
        (RunningState("readonly", "idle", reshapes=True, members=_WHOLE), Hold.RESHAPE_WAITS),
        (RunningState("clean", "reshape", reshapes=True, is_suspended=True, members=_WHOLE), None),
        (RunningState("clean", "idle", policy="journal", members=(*_WHOLE, _JOURNAL)), None),
        (RunningState("clean", "idle", policy="journal", members=(*_WHOLE, _DEAD_JOURNAL)), Hold.JOURNAL_FAILED),
        (RunningState("readonly", "idle", policy="journal", members=_WHOLE), Hold.JOURNAL_FAILED),
        (RunningState("clean", "idle", is_suspended=True, members=_WHOLE), Hold.SUSPENDED),
        (RunningState("clean", "idle", is_shortened=True, members=_WHOLE), Hold.SHORTENED),
        (RunningState("clean", ""), None),
    ],
)
def test_a_state_is_what_all_of_its_values_say(state: RunningState, hold: Hold | None) -> None:
    assert hold_of(state) is hold


_MEMBERS = st.builds(
    RunningMember,
    st.sampled_from(["sda", "nvme0n1p2", "dm-0"]),
    st.none() | st.integers(0, 31),
    st.lists(st.sampled_from(["in_sync", "faulty", "spare", "journal", "write_mostly", "blocked"]), unique=True).map(
        tuple
    ),
    st.none() | st.integers(0, 2**40),
)


@given(_MEMBERS)
def test_a_member_goes_through_its_line(member: RunningMember) -> None:
    assert member_of_line(member.line()) == member


@given(
    st.sampled_from(["clean", "active", "active-idle", "write-pending", "read-auto", "readonly"]),
    st.sampled_from(["idle", "resync", "recover", "reshape", "check", "repair", "frozen", ""]),
    st.booleans(),
    st.booleans(),
    st.lists(_MEMBERS, max_size=4).map(tuple),
)
def test_only_what_may_not_write_waits(
    array_state: str, action: str, reshapes: bool, resyncs: bool, members: tuple[RunningMember, ...]
) -> None:
    hold = hold_of(RunningState(array_state, action, reshapes, resyncs, len(members), "bitmap", members))
    if hold in WAITING:
        assert array_state in ("read-auto", "readonly")
        assert reshapes or (hold is Hold.READ_ONLY) == (array_state == "readonly")
    if action == "frozen":
        assert hold in (Hold.FROZEN, Hold.RESHAPE_FROZEN)


def test_an_older_helper_says_nothing_of_it() -> None:
    assert hold_in(ArrayFacts(reshapes=True, starts_at_write=True)) is None
