"""The actions on an array that are confirmed, and the operation that each one is."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import Any

from raidwright.core.model.plan import Member
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray, DismantleStopped, StartArray, StopArray, start_of
from raidwright.operations.operation import Operation


class Act(Enum):
    """Actions that need the array's name typed as confirmation."""

    STOP = auto()
    START = auto()  # without members that were in it at its last write, or of one half
    LOOK = auto()  # at one half, which writes nothing and so needs no name
    GO_ON = auto()  # with a reshape, rebuild or resync that waits, without members that are missing
    TAKE_APART = auto()
    TAKE_OVER = auto()  # of an array that is another computer's
    FORGET = auto()  # its lists of bad blocks


STARTS = (Act.START, Act.LOOK)


def start_of_act(act: Act, array: State, typed: str, half: str) -> Operation[Any]:
    """Return the start of ``array``, of the ``half`` with that disk if it has halves."""
    if act is Act.LOOK:
        return StartArray(array.named, read_only=True, missing=True, half=half)
    if isinstance(array, Volume):
        return start_of(array, missing=True)
    return StartArray(Named(array.uuid, typed), missing=True, half=half)


def end_of_act(
    act: Act, array: State, typed: str, disks: Sequence[Member], given_up: tuple[str, ...], *, with_lines: bool
) -> Operation[Any]:
    """Return the stop of ``array``, or its end; ``given_up`` is what it holds that may be lost."""
    named = Named(array.uuid, typed)
    if act is Act.STOP:
        return StopArray(named)
    kind = DismantleArray if array.running else DismantleStopped
    return kind(named, tuple(disks), given_up, with_lines)
