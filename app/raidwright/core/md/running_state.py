"""A running array's state by md's sysfs: its members, and the reason for which its work or its writes are held back.

No value alone tells it: ``clean`` is said of an array whose journal is dead and which refuses every write, and ``idle``
of a reshape that waits. Source: kernel ``Documentation/admin-guide/md.rst`` (array_state, sync_action,
reshape_position, suspend_lo, dev-XXX/state, slot, recovery_start); ``md.c`` (``md_check_recovery``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

_NONE = "none"


@dataclass(frozen=True, slots=True)
class RunningMember:
    """A device that md has in an array: its kernel name, slot and states (``dev-XXX/state``, md's words).

    ``slot`` is None for a spare, a journal, and a failed device that lost its slot. ``recovery_start`` is the sector
    up to which a device that is being rebuilt is complete; None once it is whole.
    """

    name: str
    slot: int | None
    states: tuple[str, ...]
    recovery_start: int | None = None

    @property
    def is_faulty(self) -> bool:
        """True if md has marked it as failed."""
        return "faulty" in self.states

    @property
    def is_journal(self) -> bool:
        """True for the write journal."""
        return "journal" in self.states

    @property
    def is_incomplete(self) -> bool:
        """True for a device in a slot whose rebuild hasn't ended, whether it runs or waits."""
        return self.slot is not None and not ({"in_sync", "faulty", "journal"} & set(self.states))

    @property
    def is_spare(self) -> bool:
        """True for a spare."""
        return self.slot is None and not self.is_faulty and not self.is_journal

    def line(self) -> str:
        """Return the member as one line: ``sda 0 in_sync none``."""
        slot, start = (_NONE if value is None else str(value) for value in (self.slot, self.recovery_start))
        return f"{self.name} {slot} {','.join(self.states)} {start}"


def member_of_line(line: str) -> RunningMember:
    """Return the member of ``RunningMember.line``."""
    name, slot, states, start = line.split(" ")
    return RunningMember(name, _number(slot), tuple(filter(None, states.split(","))), _number(start))


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


class Hold(StrEnum):
    """Reasons for which an array is held back, the gravest first."""

    JOURNAL_FAILED = "journal-failed"  # every write fails, whatever array_state says
    RESHAPE_FROZEN = "reshape-frozen"
    RESHAPE_WAITS = "reshape-waits"  # read-auto or readonly: md goes on once the array may be written to
    REBUILD_WAITS = "rebuild-waits"
    RESYNC_WAITS = "resync-waits"
    FROZEN = "frozen"  # no rebuild, resync or check begins
    SUSPENDED = "suspended"  # reads and writes within suspend_lo … suspend_hi hang
    SHORTENED = "shortened"  # array_size set by hand, until the array is stopped
    READ_ONLY = "read-only"  # somebody started it to be read, as a rescue does, or set it so


WAITING = frozenset({Hold.RESHAPE_WAITS, Hold.REBUILD_WAITS, Hold.RESYNC_WAITS, Hold.READ_ONLY})
"""Holds that end once the array is set read-write."""


@dataclass(frozen=True, slots=True)
class RunningState:
    """A running array's values in sysfs, all of one moment.

    ``reshapes``: reshape_position isn't ``none``, or sync_action is ``reshape``; ``resync_pending``: resync_start isn't
    ``none``. ``policy`` is consistency_policy. ``is_suspended``: suspend_hi is above suspend_lo. ``is_shortened``:
    array_size isn't ``default``.
    """

    array_state: str
    sync_action: str
    reshapes: bool = False
    resync_pending: bool = False
    degraded: int = 0
    policy: str = ""
    members: tuple[RunningMember, ...] = ()
    is_suspended: bool = False
    is_shortened: bool = False


def hold_of(state: RunningState) -> Hold | None:
    """Return the reason for which the array is held back; None for one that works, be it in a rebuild or a reshape."""
    if state.policy == "journal" and not any(one.is_journal and not one.is_faulty for one in state.members):
        return Hold.JOURNAL_FAILED
    left = _work_left(state)
    if state.sync_action == "frozen":
        return Hold.RESHAPE_FROZEN if left is Hold.RESHAPE_WAITS else Hold.FROZEN
    if state.array_state == "read-auto":
        return left or _limit(state)
    if state.array_state == "readonly":  # a person has ruled out writes; a reshape is told since nothing else shows it
        return left if left is Hold.RESHAPE_WAITS else Hold.READ_ONLY
    return None if state.reshapes else _limit(state)  # mdadm holds back and shortens what it reshapes


def _limit(state: RunningState) -> Hold | None:
    if state.is_suspended:
        return Hold.SUSPENDED
    return Hold.SHORTENED if state.is_shortened else None


def _work_left(state: RunningState) -> Hold | None:
    if state.reshapes:
        return Hold.RESHAPE_WAITS
    if any(one.is_incomplete for one in state.members) or (
        state.degraded and any(one.is_spare for one in state.members)
    ):
        return Hold.REBUILD_WAITS
    return Hold.RESYNC_WAITS if state.resync_pending else None
