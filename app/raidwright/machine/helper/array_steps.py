"""Acts on arrays that exist, as values: what can be asked for, and what comes of it.

No bus here, since the window imports it; ``ArrayActs.take`` has a step done by the helper.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.model.plan import Member

from .system_steps import Named


class CameBack(StrEnum):
    """How md took a former member back."""

    CAUGHT_UP = "caught-up"  # what it had missed is known and brought up to date
    REBUILDS = "rebuilds"  # as a new disk: all of it is written anew
    SPARE = "spare"  # nothing was missing; it stands by


class Joined(StrEnum):
    """What became of a disk that was given to an array."""

    REBUILDS = "rebuilds"  # md writes onto it what the empty place held
    SPARE = "spare"  # nothing is missing; it stands by
    TAKES_OVER = "takes-over"  # md copies onto it what the old member holds, which works meanwhile


class CheckState(StrEnum):
    """Where a check stands."""

    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class MemberChange:
    """A member failed, removed or taken back. ``missing``: how many places lack a working member now."""

    missing: int
    came_back: CameBack | None
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemberJoined:
    """A disk that an array has taken. ``missing``: how many places lack a working member until it is rebuilt."""

    missing: int
    joined: Joined
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dismantled:
    """An array taken apart; ``Helper.undo`` with ``build_id`` puts its superblocks back."""

    build_id: str
    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A check of an array, in Unix seconds. ``mismatch_sectors``: how much differed, so far or in all."""

    uuid: str
    name: str
    state: CheckState
    began_s: int
    ended_s: int | None
    mismatch_sectors: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """An array that was stopped; its disks still belong to it."""

    log: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop an array that nothing uses; ends with Stopped."""

    array: Named


@dataclass(frozen=True, slots=True)
class TakeApart:
    """Stop it and free its disks; ends with Dismantled. ``given_up``: the signatures on it that a person let go.

    ``with_lines``: its lines in mdadm.conf and fstab go as well.
    """

    array: Named
    members: tuple[Member, ...]
    given_up: tuple[str, ...] = ()
    with_lines: bool = False


@dataclass(frozen=True, slots=True)
class StartCheck:
    """Have md compare all copies or parity; ends, once that has begun, with Check."""

    array: Named


@dataclass(frozen=True, slots=True)
class PauseCheck:
    """Stop the check that runs, for now; ends with Check."""

    array: Named


@dataclass(frozen=True, slots=True)
class AddMember:
    """Give it a disk, in a lost member's place or as a spare; ends with MemberJoined.

    ``wipe``: the signatures on the disk that a person let go.
    """

    array: Named
    disk: Member
    wipe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplaceMember:
    """Put ``disk`` in the place of ``old``, which serves until then if it works; ends with MemberJoined."""

    array: Named
    old: Member
    disk: Member
    wipe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReAddMember:
    """Take a former member back; ends with MemberChange."""

    array: Named
    disk: Member


@dataclass(frozen=True, slots=True)
class RemoveMember:
    """Let a failed member or a spare go; ends with MemberChange."""

    array: Named
    disk: Member


@dataclass(frozen=True, slots=True)
class RemoveVanished:
    """Let the members go whose disks are no longer there; ends with MemberChange."""

    array: Named


MemberStep = AddMember | ReplaceMember | ReAddMember | RemoveMember | RemoveVanished
ArrayStep = Stop | TakeApart | StartCheck | PauseCheck | MemberStep
ArrayStepResult = Stopped | Dismantled | Check | MemberChange | MemberJoined
