"""What can be done with the members of an array that exists. A ``disk`` is meant by all that a plan says of it."""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.model.plan import Member
from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import MemberChange, MemberJoined
from raidwright.machine.values import Named

from .operation import Request


@dataclass(frozen=True, slots=True)
class _MemberRequest(Request[MemberChange]):
    """``scratch``: the array is one's own scratch array, for which another action is asked."""

    array: Named
    disk: Member
    scratch: bool = False


@dataclass(frozen=True, slots=True)
class FailMember(_MemberRequest):
    """Mark a member as failed; refused when data would be lost without it."""

    verb = verbs.FAIL_MEMBER


@dataclass(frozen=True, slots=True)
class RemoveMember(_MemberRequest):
    """Let a failed member or a spare go; refused while it works."""

    verb = verbs.REMOVE_MEMBER


@dataclass(frozen=True, slots=True)
class ReAddMember(_MemberRequest):
    """Take a former member of this very array back; refused when it carries anything else."""

    verb = verbs.RE_ADD_MEMBER


@dataclass(frozen=True, slots=True)
class AddMember(Request[MemberJoined]):
    """Give it a disk, in a lost member's place or as a spare. ``wipe``: the signatures on it that a person let go.

    Raises DiskRefused with ``Code.SIGNATURE`` for any other.
    """

    verb = verbs.ADD_MEMBER
    array: Named
    disk: Member
    wipe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplaceMember(Request[MemberJoined]):
    """Put ``disk`` in the place of ``old``, which serves until the copy is whole if it works; ``wipe`` as AddMember."""

    verb = verbs.REPLACE_MEMBER
    array: Named
    old: Member
    disk: Member
    wipe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemoveVanished(Request[MemberChange]):
    """Let the members go whose disks are no longer there; refused when every member is."""

    verb = verbs.REMOVE_VANISHED
    array: Named
