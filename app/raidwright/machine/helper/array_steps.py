"""Acts on arrays that exist, as values: what can be asked for, and what comes of it.

No bus here, since the window imports it; ``ArrayActs.take`` has a step done by the helper.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import Check
from raidwright.core.protocol.results import Dismantled, MemberChange, MemberJoined, Stopped

from .system_steps import Named


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
